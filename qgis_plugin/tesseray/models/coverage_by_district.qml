<!DOCTYPE qgis>
<qgis version="3.40.0" styleCategories="Symbology">
<renderer-v2 type="graduatedSymbol" graduatedMethod="GraduatedColor" attr="covered_percent">
<ranges>
<range symbol="0" lower="0" upper="10" label="0 to 10 % of the ground" render="true"/>
<range symbol="1" lower="10" upper="20" label="10 to 20 % of the ground" render="true"/>
<range symbol="2" lower="20" upper="30" label="20 to 30 % of the ground" render="true"/>
<range symbol="3" lower="30" upper="40" label="30 to 40 % of the ground" render="true"/>
<range symbol="4" lower="40" upper="50" label="40 to 50 % of the ground" render="true"/>
<range symbol="5" lower="50" upper="60" label="50 to 60 % of the ground" render="true"/>
<range symbol="6" lower="60" upper="70" label="60 to 70 % of the ground" render="true"/>
<range symbol="7" lower="70" upper="80" label="70 to 80 % of the ground" render="true"/>
<range symbol="8" lower="80" upper="90" label="80 to 90 % of the ground" render="true"/>
<range symbol="9" lower="90" upper="100" label="90 to 100 % of the ground" render="true"/>
</ranges>
<symbols>
<symbol type="fill" name="0" alpha="1"><layer class="SimpleFill" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#440154"/><Option type="QString" name="outline_color" value="255,255,255,255"/><Option type="QString" name="outline_width" value="0.4"/></Option></layer></symbol>
<symbol type="fill" name="1" alpha="1"><layer class="SimpleFill" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#482878"/><Option type="QString" name="outline_color" value="255,255,255,255"/><Option type="QString" name="outline_width" value="0.4"/></Option></layer></symbol>
<symbol type="fill" name="2" alpha="1"><layer class="SimpleFill" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#3e4a89"/><Option type="QString" name="outline_color" value="255,255,255,255"/><Option type="QString" name="outline_width" value="0.4"/></Option></layer></symbol>
<symbol type="fill" name="3" alpha="1"><layer class="SimpleFill" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#31688e"/><Option type="QString" name="outline_color" value="255,255,255,255"/><Option type="QString" name="outline_width" value="0.4"/></Option></layer></symbol>
<symbol type="fill" name="4" alpha="1"><layer class="SimpleFill" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#26828e"/><Option type="QString" name="outline_color" value="255,255,255,255"/><Option type="QString" name="outline_width" value="0.4"/></Option></layer></symbol>
<symbol type="fill" name="5" alpha="1"><layer class="SimpleFill" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#1f9e89"/><Option type="QString" name="outline_color" value="255,255,255,255"/><Option type="QString" name="outline_width" value="0.4"/></Option></layer></symbol>
<symbol type="fill" name="6" alpha="1"><layer class="SimpleFill" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#35b779"/><Option type="QString" name="outline_color" value="255,255,255,255"/><Option type="QString" name="outline_width" value="0.4"/></Option></layer></symbol>
<symbol type="fill" name="7" alpha="1"><layer class="SimpleFill" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#6ece58"/><Option type="QString" name="outline_color" value="255,255,255,255"/><Option type="QString" name="outline_width" value="0.4"/></Option></layer></symbol>
<symbol type="fill" name="8" alpha="1"><layer class="SimpleFill" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#b5de2b"/><Option type="QString" name="outline_color" value="255,255,255,255"/><Option type="QString" name="outline_width" value="0.4"/></Option></layer></symbol>
<symbol type="fill" name="9" alpha="1"><layer class="SimpleFill" enabled="1"><Option type="Map"><Option type="QString" name="color" value="#fde725"/><Option type="QString" name="outline_color" value="255,255,255,255"/><Option type="QString" name="outline_width" value="0.4"/></Option></layer></symbol>
</symbols>
</renderer-v2>
<layerGeometryType>2</layerGeometryType>
</qgis>
