<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.40.0" styleCategories="Symbology|Symbology3D|Labeling|Fields" labelsEnabled="0">
<renderer-v2 type="categorizedSymbol" attr="kind" symbollevels="0" enableorderby="0" forceraster="0" referencescale="-1">
<categories>
<category symbol="0" value="roof" label="Roof edge" type="string" render="true"/>
<category symbol="1" value="corner" label="Vertical corner" type="string" render="true"/>
<category symbol="2" value="terrain" label="Terrain ridge" type="string" render="true"/>
</categories>
<symbols>
<symbol type="line" name="0" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleLine" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="line_color" value="213,94,0,255"/><Option type="QString" name="line_style" value="solid"/><Option type="QString" name="line_width" value="0.4"/><Option type="QString" name="line_width_unit" value="MM"/><Option type="QString" name="capstyle" value="round"/></Option></layer></symbol>
<symbol type="line" name="1" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleLine" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="line_color" value="0,114,178,255"/><Option type="QString" name="line_style" value="solid"/><Option type="QString" name="line_width" value="0.8"/><Option type="QString" name="line_width_unit" value="MM"/><Option type="QString" name="capstyle" value="round"/></Option></layer><layer class="MarkerLine" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="placements" value="FirstVertex"/><Option type="QString" name="rotate" value="0"/></Option><symbol type="marker" name="" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleMarker" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="name" value="circle"/><Option type="QString" name="color" value="0,114,178,255"/><Option type="QString" name="outline_color" value="0,114,178,255"/><Option type="QString" name="outline_style" value="solid"/><Option type="QString" name="outline_width" value="0.8"/><Option type="QString" name="outline_width_unit" value="MM"/><Option type="QString" name="size" value="1.2"/><Option type="QString" name="size_unit" value="MM"/></Option></layer></symbol></layer></symbol>
<symbol type="line" name="2" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleLine" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="line_color" value="0,158,115,255"/><Option type="QString" name="line_style" value="solid"/><Option type="QString" name="line_width" value="0.4"/><Option type="QString" name="line_width_unit" value="MM"/><Option type="QString" name="capstyle" value="round"/></Option></layer></symbol>
</symbols>
</renderer-v2>
<renderer-3d type="rulebased" layer=""><vector-layer-3d-tiling zoom-levels-count="3" show-bounding-boxes="0"/><rules key="all">
<rule key="class 0" description="Roof edge" filter="&quot;kind&quot; = 'roof'"><symbol type="line" material_type="simpleline"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" simple-lines="1" width="2"/><material ambient="213,94,0,255"/></symbol></rule>
<rule key="class 1" description="Vertical corner" filter="&quot;kind&quot; = 'corner'"><symbol type="line" material_type="simpleline"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" simple-lines="1" width="2"/><material ambient="0,114,178,255"/></symbol></rule>
<rule key="class 2" description="Terrain ridge" filter="&quot;kind&quot; = 'terrain'"><symbol type="line" material_type="simpleline"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" simple-lines="1" width="2"/><material ambient="0,158,115,255"/></symbol></rule>
</rules></renderer-3d>
<aliases>
<alias index="1" field="edge_id" name="Edge ID"/>
<alias index="2" field="kind" name="Kind"/>
<alias index="3" field="tile_a" name="Tile a"/>
<alias index="4" field="tile_b" name="Tile b"/>
<alias index="5" field="length_m" name="Length [m]"/>
<alias index="6" field="wedge_deg" name="Wedge [°]"/>
</aliases>
<blendMode>0</blendMode>
<featureBlendMode>0</featureBlendMode>
<layerGeometryType>1</layerGeometryType>
</qgis>
