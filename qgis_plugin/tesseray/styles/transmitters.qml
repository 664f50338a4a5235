<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.40.0" styleCategories="Symbology|Symbology3D|Labeling|Fields" labelsEnabled="1">
<renderer-v2 type="singleSymbol" symbollevels="0" enableorderby="0" forceraster="0" referencescale="-1">
<symbols>
<symbol type="marker" name="0" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleMarker" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="name" value="triangle"/><Option type="QString" name="color" value="213,94,0,255"/><Option type="QString" name="outline_color" value="255,255,255,255"/><Option type="QString" name="outline_style" value="solid"/><Option type="QString" name="outline_width" value="0.4"/><Option type="QString" name="outline_width_unit" value="MM"/><Option type="QString" name="size" value="5"/><Option type="QString" name="size_unit" value="MM"/></Option></layer></symbol>
</symbols>
</renderer-v2>
<renderer-3d type="vector" layer=""><vector-layer-3d-tiling zoom-levels-count="3" show-bounding-boxes="0"/><symbol type="point" shape="sphere" material_type="phong"><data alt-clamping="absolute"/><material ambient="213,94,0,255" diffuse="213,94,0,255" specular="0,0,0,255" ka="0.7" kd="0.4" ks="0" shininess="0" opacity="1"/><shape-properties><Option type="Map"><Option type="double" name="radius" value="5"/></Option></shape-properties><transform matrix="1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"/></symbol></renderer-3d>
<labeling type="simple"><settings><text-style isExpression="0" fieldName="name" fontSize="9" fontSizeUnit="Point" textColor="30,30,30,255"><text-buffer bufferDraw="1" bufferSize="0.8" bufferSizeUnits="MM" bufferColor="255,255,255,255"/></text-style><placement placement="6" offsetType="1" dist="0.5" distUnits="MM"/></settings></labeling>
<aliases>
<alias index="1" field="transmitter_id" name="Transmitter ID"/>
<alias index="2" field="name" name="Name"/>
<alias index="3" field="frequency_mhz" name="Frequency [MHz]"/>
<alias index="4" field="height_m" name="Height [m]"/>
<alias index="5" field="erp_dbm" name="ERP [dBm]"/>
<alias index="6" field="antenna" name="Antenna"/>
<alias index="7" field="azimuth_deg" name="Azimuth [°]"/>
<alias index="8" field="downtilt_deg" name="Downtilt [°]"/>
<alias index="9" field="electrical_tilt_deg" name="Electrical tilt [°]"/>
<alias index="10" field="polarization" name="Polarization"/>
<alias index="11" field="height_reference" name="Height reference"/>
</aliases>
<blendMode>0</blendMode>
<featureBlendMode>0</featureBlendMode>
<layerGeometryType>0</layerGeometryType>
</qgis>
