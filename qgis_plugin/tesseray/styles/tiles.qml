<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.40.0" styleCategories="Symbology|Symbology3D|Labeling|Fields" labelsEnabled="0">
<renderer-v2 type="categorizedSymbol" attr="kind" symbollevels="0" enableorderby="0" forceraster="0" referencescale="-1">
<categories>
<category symbol="0" value="ground" label="Ground" type="string" render="true"/>
<category symbol="1" value="roof" label="Roof" type="string" render="true"/>
<category symbol="2" value="wall" label="Wall" type="string" render="true"/>
</categories>
<symbols>
<symbol type="fill" name="0" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleFill" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="color" value="230,226,215,255"/><Option type="QString" name="style" value="solid"/><Option type="QString" name="outline_color" value="190,186,175,255"/><Option type="QString" name="outline_style" value="solid"/><Option type="QString" name="outline_width" value="0.1"/><Option type="QString" name="outline_width_unit" value="MM"/></Option></layer></symbol>
<symbol type="fill" name="1" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleFill" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="color" value="238,190,130,255"/><Option type="QString" name="style" value="solid"/><Option type="QString" name="outline_color" value="200,140,70,255"/><Option type="QString" name="outline_style" value="solid"/><Option type="QString" name="outline_width" value="0.1"/><Option type="QString" name="outline_width_unit" value="MM"/></Option></layer></symbol>
<symbol type="fill" name="2" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleFill" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="color" value="96,140,180,255"/><Option type="QString" name="style" value="solid"/><Option type="QString" name="outline_color" value="96,140,180,255"/><Option type="QString" name="outline_style" value="solid"/><Option type="QString" name="outline_width" value="0.1"/><Option type="QString" name="outline_width_unit" value="MM"/></Option></layer></symbol>
</symbols>
</renderer-v2>
<renderer-3d type="rulebased" layer=""><vector-layer-3d-tiling zoom-levels-count="3" show-bounding-boxes="0"/><rules key="all">
<rule key="class 0" description="Ground" filter="&quot;kind&quot; = 'ground'"><symbol type="polygon" material_type="phong"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" culling-mode="no-culling" invert-normals="0" add-back-faces="0" rendered-facade="3"/><material ambient="230,226,215,255" diffuse="230,226,215,255" specular="0,0,0,255" ka="0.7" kd="0.4" ks="0" shininess="0" opacity="1"/><edges enabled="0" width="1" color="0,0,0,255"/></symbol></rule>
<rule key="class 1" description="Roof" filter="&quot;kind&quot; = 'roof'"><symbol type="polygon" material_type="phong"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" culling-mode="no-culling" invert-normals="0" add-back-faces="0" rendered-facade="3"/><material ambient="238,190,130,255" diffuse="238,190,130,255" specular="0,0,0,255" ka="0.7" kd="0.4" ks="0" shininess="0" opacity="1"/><edges enabled="0" width="1" color="0,0,0,255"/></symbol></rule>
<rule key="class 2" description="Wall" filter="&quot;kind&quot; = 'wall'"><symbol type="polygon" material_type="phong"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" culling-mode="no-culling" invert-normals="0" add-back-faces="0" rendered-facade="3"/><material ambient="96,140,180,255" diffuse="96,140,180,255" specular="0,0,0,255" ka="0.7" kd="0.4" ks="0" shininess="0" opacity="1"/><edges enabled="0" width="1" color="0,0,0,255"/></symbol></rule>
</rules></renderer-3d>
<aliases>
<alias index="1" field="tile_id" name="Tile ID"/>
<alias index="2" field="kind" name="Kind"/>
<alias index="3" field="building_id" name="Building ID"/>
<alias index="4" field="area_m2" name="Area [m²]"/>
<alias index="5" field="x" name="X [m]"/>
<alias index="6" field="y" name="Y [m]"/>
<alias index="7" field="z" name="Z [m]"/>
<alias index="8" field="nx" name="Nx"/>
<alias index="9" field="ny" name="Ny"/>
<alias index="10" field="nz" name="Nz"/>
<alias index="11" field="material" name="Material"/>
<alias index="12" field="visible_count" name="Visible count"/>
</aliases>
<blendMode>0</blendMode>
<featureBlendMode>0</featureBlendMode>
<layerGeometryType>2</layerGeometryType>
</qgis>
