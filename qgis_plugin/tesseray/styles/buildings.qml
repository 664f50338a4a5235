<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.40.0" styleCategories="Symbology|Symbology3D|Labeling|Fields" labelsEnabled="0">
<renderer-v2 type="singleSymbol" symbollevels="0" enableorderby="0" forceraster="0" referencescale="-1">
<symbols>
<symbol type="fill" name="0" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleFill" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="color" value="200,196,188,255"/><Option type="QString" name="style" value="solid"/><Option type="QString" name="outline_color" value="60,60,60,255"/><Option type="QString" name="outline_style" value="solid"/><Option type="QString" name="outline_width" value="0.1"/><Option type="QString" name="outline_width_unit" value="MM"/></Option></layer></symbol>
</symbols>
</renderer-v2>
<renderer-3d type="vector" layer=""><vector-layer-3d-tiling zoom-levels-count="3" show-bounding-boxes="0"/><symbol type="polygon" material_type="phong"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" culling-mode="no-culling" invert-normals="0" add-back-faces="0" rendered-facade="3"/><material ambient="200,196,188,255" diffuse="200,196,188,255" specular="0,0,0,255" ka="0.7" kd="0.4" ks="0" shininess="0" opacity="1"/><data-defined-properties><Option type="Map"><Option type="QString" name="name" value=""/><Option type="Map" name="properties"><Option type="Map" name="extrusionHeight"><Option type="bool" name="active" value="true"/><Option type="QString" name="expression" value="&quot;roof_z&quot; - &quot;base_z&quot;"/><Option type="int" name="type" value="3"/></Option><Option type="Map" name="height"><Option type="bool" name="active" value="true"/><Option type="QString" name="expression" value="&quot;base_z&quot; - &quot;roof_z&quot;"/><Option type="int" name="type" value="3"/></Option></Option><Option type="QString" name="type" value="collection"/></Option></data-defined-properties><edges enabled="0" width="1" color="0,0,0,255"/></symbol></renderer-3d>
<aliases>
<alias index="1" field="building_id" name="Building ID"/>
<alias index="2" field="part" name="Part"/>
<alias index="3" field="source_feature" name="Source feature"/>
<alias index="4" field="base_z" name="Base z [m]"/>
<alias index="5" field="roof_z" name="Roof z [m]"/>
<alias index="6" field="on_ground" name="On ground"/>
<alias index="7" field="material" name="Material"/>
<alias index="8" field="material_id" name="Material ID"/>
</aliases>
<blendMode>0</blendMode>
<featureBlendMode>0</featureBlendMode>
<layerGeometryType>2</layerGeometryType>
</qgis>
