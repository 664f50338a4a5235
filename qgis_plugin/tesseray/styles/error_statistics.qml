<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.40.0" styleCategories="Fields">
<aliases>
<alias index="1" field="group" name="Group"/>
<alias index="2" field="transmitter_id" name="Transmitter ID"/>
<alias index="3" field="n" name="N"/>
<alias index="4" field="mean_db" name="Mean [dB]"/>
<alias index="5" field="std_db" name="Std [dB]"/>
<alias index="6" field="rmse_db" name="RMSE [dB]"/>
<alias index="7" field="mae_db" name="MAE [dB]"/>
<alias index="8" field="median_db" name="Median [dB]"/>
<alias index="9" field="p10_db" name="P10 [dB]"/>
<alias index="10" field="p90_db" name="P90 [dB]"/>
<alias index="11" field="correlation" name="Correlation"/>
<alias index="12" field="mean_of_mean_db" name="Mean of mean [dB]"/>
<alias index="13" field="std_of_mean_db" name="Std of mean [dB]"/>
<alias index="14" field="mean_of_std_db" name="Mean of std [dB]"/>
<alias index="15" field="std_of_std_db" name="Std of std [dB]"/>
<alias index="16" field="removed_mean_db" name="Removed mean [dB]"/>
</aliases>
</qgis>
