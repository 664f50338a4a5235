<!DOCTYPE qgis>
<qgis version="3.40.0" styleCategories="Symbology">
<renderer-v2 type="graduatedSymbol" graduatedMethod="GraduatedColor" attr="difference_db">
<ranges>
<range symbol="0" lower="-1e+06" upper="-10" label="launched weaker by more than 10 dB" render="true"/>
<range symbol="1" lower="-10" upper="-6" label="launched weaker by 6 to 10 dB" render="true"/>
<range symbol="2" lower="-6" upper="-3" label="launched weaker by 3 to 6 dB" render="true"/>
<range symbol="3" lower="-3" upper="-1" label="launched weaker by 1 to 3 dB" render="true"/>
<range symbol="4" lower="-1" upper="1" label="within 1 dB" render="true"/>
<range symbol="5" lower="1" upper="3" label="launched stronger by 1 to 3 dB" render="true"/>
<range symbol="6" lower="3" upper="6" label="launched stronger by 3 to 6 dB" render="true"/>
<range symbol="7" lower="6" upper="10" label="launched stronger by 6 to 10 dB" render="true"/>
<range symbol="8" lower="10" upper="1e+06" label="launched stronger by more than 10 dB" render="true"/>
</ranges>
<symbols>
<symbol type="marker" name="0" alpha="1"><layer class="SimpleMarker" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#542788"/><Option type="QString" name="name" value="circle"/><Option type="QString" name="size" value="2.2"/><Option type="QString" name="outline_color" value="60,60,60,255"/><Option type="QString" name="outline_width" value="0.1"/></Option></layer></symbol>
<symbol type="marker" name="1" alpha="1"><layer class="SimpleMarker" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#8073ac"/><Option type="QString" name="name" value="circle"/><Option type="QString" name="size" value="2.2"/><Option type="QString" name="outline_color" value="60,60,60,255"/><Option type="QString" name="outline_width" value="0.1"/></Option></layer></symbol>
<symbol type="marker" name="2" alpha="1"><layer class="SimpleMarker" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#b2abd2"/><Option type="QString" name="name" value="circle"/><Option type="QString" name="size" value="2.2"/><Option type="QString" name="outline_color" value="60,60,60,255"/><Option type="QString" name="outline_width" value="0.1"/></Option></layer></symbol>
<symbol type="marker" name="3" alpha="1"><layer class="SimpleMarker" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#d8daeb"/><Option type="QString" name="name" value="circle"/><Option type="QString" name="size" value="2.2"/><Option type="QString" name="outline_color" value="60,60,60,255"/><Option type="QString" name="outline_width" value="0.1"/></Option></layer></symbol>
<symbol type="marker" name="4" alpha="1"><layer class="SimpleMarker" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#f7f7f7"/><Option type="QString" name="name" value="circle"/><Option type="QString" name="size" value="2.2"/><Option type="QString" name="outline_color" value="60,60,60,255"/><Option type="QString" name="outline_width" value="0.1"/></Option></layer></symbol>
<symbol type="marker" name="5" alpha="1"><layer class="SimpleMarker" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#fee0b6"/><Option type="QString" name="name" value="circle"/><Option type="QString" name="size" value="2.2"/><Option type="QString" name="outline_color" value="60,60,60,255"/><Option type="QString" name="outline_width" value="0.1"/></Option></layer></symbol>
<symbol type="marker" name="6" alpha="1"><layer class="SimpleMarker" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#fdb863"/><Option type="QString" name="name" value="circle"/><Option type="QString" name="size" value="2.2"/><Option type="QString" name="outline_color" value="60,60,60,255"/><Option type="QString" name="outline_width" value="0.1"/></Option></layer></symbol>
<symbol type="marker" name="7" alpha="1"><layer class="SimpleMarker" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#e08214"/><Option type="QString" name="name" value="circle"/><Option type="QString" name="size" value="2.2"/><Option type="QString" name="outline_color" value="60,60,60,255"/><Option type="QString" name="outline_width" value="0.1"/></Option></layer></symbol>
<symbol type="marker" name="8" alpha="1"><layer class="SimpleMarker" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#b35806"/><Option type="QString" name="name" value="circle"/><Option type="QString" name="size" value="2.2"/><Option type="QString" name="outline_color" value="60,60,60,255"/><Option type="QString" name="outline_width" value="0.1"/></Option></layer></symbol>
</symbols>
</renderer-v2>
<layerGeometryType>0</layerGeometryType>
</qgis>
