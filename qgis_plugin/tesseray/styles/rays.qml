<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.40.0" styleCategories="Symbology|Symbology3D|Labeling|Fields" labelsEnabled="0">
<renderer-v2 type="graduatedSymbol" graduatedMethod="GraduatedColor" attr="power_dbm" symbollevels="0" enableorderby="0" forceraster="0" referencescale="-1">
<ranges>
<range symbol="0" lower="-1000000" upper="-130" label="below -130 dBm" render="true"/>
<range symbol="1" lower="-130" upper="-120" label="-130 to -120 dBm" render="true"/>
<range symbol="2" lower="-120" upper="-110" label="-120 to -110 dBm" render="true"/>
<range symbol="3" lower="-110" upper="-100" label="-110 to -100 dBm" render="true"/>
<range symbol="4" lower="-100" upper="-90" label="-100 to -90 dBm" render="true"/>
<range symbol="5" lower="-90" upper="-80" label="-90 to -80 dBm" render="true"/>
<range symbol="6" lower="-80" upper="-70" label="-80 to -70 dBm" render="true"/>
<range symbol="7" lower="-70" upper="-60" label="-70 to -60 dBm" render="true"/>
<range symbol="8" lower="-60" upper="-50" label="-60 to -50 dBm" render="true"/>
<range symbol="9" lower="-50" upper="-40" label="-50 to -40 dBm" render="true"/>
<range symbol="10" lower="-40" upper="1000000" label="above -40 dBm" render="true"/>
</ranges>
<symbols>
<symbol type="line" name="0" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleLine" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="line_color" value="68,1,84,255"/><Option type="QString" name="line_style" value="solid"/><Option type="QString" name="line_width" value="0.3"/><Option type="QString" name="line_width_unit" value="MM"/><Option type="QString" name="capstyle" value="round"/></Option></layer></symbol>
<symbol type="line" name="1" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleLine" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="line_color" value="72,36,117,255"/><Option type="QString" name="line_style" value="solid"/><Option type="QString" name="line_width" value="0.3"/><Option type="QString" name="line_width_unit" value="MM"/><Option type="QString" name="capstyle" value="round"/></Option></layer></symbol>
<symbol type="line" name="2" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleLine" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="line_color" value="65,68,135,255"/><Option type="QString" name="line_style" value="solid"/><Option type="QString" name="line_width" value="0.3"/><Option type="QString" name="line_width_unit" value="MM"/><Option type="QString" name="capstyle" value="round"/></Option></layer></symbol>
<symbol type="line" name="3" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleLine" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="line_color" value="53,95,141,255"/><Option type="QString" name="line_style" value="solid"/><Option type="QString" name="line_width" value="0.3"/><Option type="QString" name="line_width_unit" value="MM"/><Option type="QString" name="capstyle" value="round"/></Option></layer></symbol>
<symbol type="line" name="4" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleLine" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="line_color" value="42,120,142,255"/><Option type="QString" name="line_style" value="solid"/><Option type="QString" name="line_width" value="0.3"/><Option type="QString" name="line_width_unit" value="MM"/><Option type="QString" name="capstyle" value="round"/></Option></layer></symbol>
<symbol type="line" name="5" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleLine" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="line_color" value="33,144,141,255"/><Option type="QString" name="line_style" value="solid"/><Option type="QString" name="line_width" value="0.3"/><Option type="QString" name="line_width_unit" value="MM"/><Option type="QString" name="capstyle" value="round"/></Option></layer></symbol>
<symbol type="line" name="6" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleLine" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="line_color" value="34,168,132,255"/><Option type="QString" name="line_style" value="solid"/><Option type="QString" name="line_width" value="0.3"/><Option type="QString" name="line_width_unit" value="MM"/><Option type="QString" name="capstyle" value="round"/></Option></layer></symbol>
<symbol type="line" name="7" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleLine" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="line_color" value="68,191,112,255"/><Option type="QString" name="line_style" value="solid"/><Option type="QString" name="line_width" value="0.3"/><Option type="QString" name="line_width_unit" value="MM"/><Option type="QString" name="capstyle" value="round"/></Option></layer></symbol>
<symbol type="line" name="8" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleLine" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="line_color" value="122,209,81,255"/><Option type="QString" name="line_style" value="solid"/><Option type="QString" name="line_width" value="0.3"/><Option type="QString" name="line_width_unit" value="MM"/><Option type="QString" name="capstyle" value="round"/></Option></layer></symbol>
<symbol type="line" name="9" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleLine" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="line_color" value="189,223,38,255"/><Option type="QString" name="line_style" value="solid"/><Option type="QString" name="line_width" value="0.3"/><Option type="QString" name="line_width_unit" value="MM"/><Option type="QString" name="capstyle" value="round"/></Option></layer></symbol>
<symbol type="line" name="10" alpha="1" clip_to_extent="1" force_rhr="0"><layer class="SimpleLine" enabled="1" locked="0" pass="0"><Option type="Map"><Option type="QString" name="line_color" value="253,231,37,255"/><Option type="QString" name="line_style" value="solid"/><Option type="QString" name="line_width" value="0.3"/><Option type="QString" name="line_width_unit" value="MM"/><Option type="QString" name="capstyle" value="round"/></Option></layer></symbol>
</symbols>
</renderer-v2>
<renderer-3d type="rulebased" layer=""><vector-layer-3d-tiling zoom-levels-count="3" show-bounding-boxes="0"/><rules key="all">
<rule key="class 0" description="below -130 dBm" filter="&quot;power_dbm&quot; &gt; -1000000 AND &quot;power_dbm&quot; &lt;= -130"><symbol type="line" material_type="simpleline"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" simple-lines="1" width="2"/><material ambient="68,1,84,255"/></symbol></rule>
<rule key="class 1" description="-130 to -120 dBm" filter="&quot;power_dbm&quot; &gt; -130 AND &quot;power_dbm&quot; &lt;= -120"><symbol type="line" material_type="simpleline"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" simple-lines="1" width="2"/><material ambient="72,36,117,255"/></symbol></rule>
<rule key="class 2" description="-120 to -110 dBm" filter="&quot;power_dbm&quot; &gt; -120 AND &quot;power_dbm&quot; &lt;= -110"><symbol type="line" material_type="simpleline"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" simple-lines="1" width="2"/><material ambient="65,68,135,255"/></symbol></rule>
<rule key="class 3" description="-110 to -100 dBm" filter="&quot;power_dbm&quot; &gt; -110 AND &quot;power_dbm&quot; &lt;= -100"><symbol type="line" material_type="simpleline"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" simple-lines="1" width="2"/><material ambient="53,95,141,255"/></symbol></rule>
<rule key="class 4" description="-100 to -90 dBm" filter="&quot;power_dbm&quot; &gt; -100 AND &quot;power_dbm&quot; &lt;= -90"><symbol type="line" material_type="simpleline"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" simple-lines="1" width="2"/><material ambient="42,120,142,255"/></symbol></rule>
<rule key="class 5" description="-90 to -80 dBm" filter="&quot;power_dbm&quot; &gt; -90 AND &quot;power_dbm&quot; &lt;= -80"><symbol type="line" material_type="simpleline"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" simple-lines="1" width="2"/><material ambient="33,144,141,255"/></symbol></rule>
<rule key="class 6" description="-80 to -70 dBm" filter="&quot;power_dbm&quot; &gt; -80 AND &quot;power_dbm&quot; &lt;= -70"><symbol type="line" material_type="simpleline"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" simple-lines="1" width="2"/><material ambient="34,168,132,255"/></symbol></rule>
<rule key="class 7" description="-70 to -60 dBm" filter="&quot;power_dbm&quot; &gt; -70 AND &quot;power_dbm&quot; &lt;= -60"><symbol type="line" material_type="simpleline"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" simple-lines="1" width="2"/><material ambient="68,191,112,255"/></symbol></rule>
<rule key="class 8" description="-60 to -50 dBm" filter="&quot;power_dbm&quot; &gt; -60 AND &quot;power_dbm&quot; &lt;= -50"><symbol type="line" material_type="simpleline"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" simple-lines="1" width="2"/><material ambient="122,209,81,255"/></symbol></rule>
<rule key="class 9" description="-50 to -40 dBm" filter="&quot;power_dbm&quot; &gt; -50 AND &quot;power_dbm&quot; &lt;= -40"><symbol type="line" material_type="simpleline"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" simple-lines="1" width="2"/><material ambient="189,223,38,255"/></symbol></rule>
<rule key="class 10" description="above -40 dBm" filter="&quot;power_dbm&quot; &gt; -40 AND &quot;power_dbm&quot; &lt;= 1000000"><symbol type="line" material_type="simpleline"><data alt-clamping="absolute" alt-binding="vertex" offset="0" extrusion-height="0" simple-lines="1" width="2"/><material ambient="253,231,37,255"/></symbol></rule>
</rules></renderer-3d>
<aliases>
<alias index="1" field="transmitter_id" name="Transmitter ID"/>
<alias index="2" field="target_id" name="Target ID"/>
<alias index="3" field="interactions" name="Interactions"/>
<alias index="4" field="power_dbm" name="Power [dBm]"/>
<alias index="5" field="delay_ns" name="Delay [ns]"/>
<alias index="6" field="departure_azimuth_deg" name="Departure azimuth [°]"/>
<alias index="7" field="departure_elevation_deg" name="Departure elevation [°]"/>
<alias index="8" field="arrival_azimuth_deg" name="Arrival azimuth [°]"/>
<alias index="9" field="arrival_elevation_deg" name="Arrival elevation [°]"/>
<alias index="10" field="phase_deg" name="Phase [°]"/>
</aliases>
<blendMode>0</blendMode>
<featureBlendMode>0</featureBlendMode>
<layerGeometryType>1</layerGeometryType>
</qgis>
