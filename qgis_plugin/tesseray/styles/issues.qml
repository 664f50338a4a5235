<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.40.0" styleCategories="Symbology|Symbology3D|Labeling|Fields" labelsEnabled="0">
<renderer-v2 type="categorizedSymbol" attr="action" symbollevels="0" enableorderby="0" forceraster="0" referencescale="-1">
<categories>
<category symbol="0" value="dropped" label="Dropped" type="string" render="true"/>
<category symbol="1" value="repaired" label="Repaired" type="string" render="true"/>
<category symbol="2" value="assumed" label="Assumed" type="string" render="true"/>
</categories>
<symbols>
<symbol type="fill" name="0" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleFill" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="color" value="213,94,0,0"/><Option type="QString" name="style" value="solid"/><Option type="QString" name="outline_color" value="213,94,0,255"/><Option type="QString" name="outline_style" value="solid"/><Option type="QString" name="outline_width" value="0.5"/><Option type="QString" name="outline_width_unit" value="MM"/></Option></layer></symbol>
<symbol type="fill" name="1" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleFill" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="color" value="204,121,167,0"/><Option type="QString" name="style" value="solid"/><Option type="QString" name="outline_color" value="204,121,167,255"/><Option type="QString" name="outline_style" value="solid"/><Option type="QString" name="outline_width" value="0.5"/><Option type="QString" name="outline_width_unit" value="MM"/></Option></layer></symbol>
<symbol type="fill" name="2" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleFill" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="color" value="0,114,178,0"/><Option type="QString" name="style" value="solid"/><Option type="QString" name="outline_color" value="0,114,178,255"/><Option type="QString" name="outline_style" value="solid"/><Option type="QString" name="outline_width" value="0.5"/><Option type="QString" name="outline_width_unit" value="MM"/></Option></layer></symbol>
</symbols>
</renderer-v2>
<renderer-3d type="rulebased" layer=""><vector-layer-3d-tiling zoom-levels-count="3" show-bounding-boxes="0"/><rules key="all">
<rule key="class 0" description="Dropped" filter="&quot;action&quot; = 'dropped'"><symbol type="polygon" material_type="phong"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" culling-mode="no-culling" invert-normals="0" add-back-faces="0" rendered-facade="3"/><material ambient="213,94,0,0" diffuse="213,94,0,0" specular="0,0,0,255" ka="0.7" kd="0.4" ks="0" shininess="0" opacity="1"/><edges enabled="0" width="1" color="0,0,0,255"/></symbol></rule>
<rule key="class 1" description="Repaired" filter="&quot;action&quot; = 'repaired'"><symbol type="polygon" material_type="phong"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" culling-mode="no-culling" invert-normals="0" add-back-faces="0" rendered-facade="3"/><material ambient="204,121,167,0" diffuse="204,121,167,0" specular="0,0,0,255" ka="0.7" kd="0.4" ks="0" shininess="0" opacity="1"/><edges enabled="0" width="1" color="0,0,0,255"/></symbol></rule>
<rule key="class 2" description="Assumed" filter="&quot;action&quot; = 'assumed'"><symbol type="polygon" material_type="phong"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" culling-mode="no-culling" invert-normals="0" add-back-faces="0" rendered-facade="3"/><material ambient="0,114,178,0" diffuse="0,114,178,0" specular="0,0,0,255" ka="0.7" kd="0.4" ks="0" shininess="0" opacity="1"/><edges enabled="0" width="1" color="0,0,0,255"/></symbol></rule>
</rules></renderer-3d>
<aliases>
<alias index="1" field="action" name="Action"/>
<alias index="2" field="code" name="Code"/>
<alias index="3" field="message" name="Message"/>
<alias index="4" field="source_layer" name="Source layer"/>
<alias index="5" field="source_feature" name="Source feature"/>
</aliases>
<blendMode>0</blendMode>
<featureBlendMode>0</featureBlendMode>
<layerGeometryType>2</layerGeometryType>
</qgis>
