# SPDX-License-Identifier: GPL-3.0-or-later
"""A server of WFS, OGC API Features and WCS in a process of its own, which fails as it is told.

Its houses are squares of 10 m in a row, its coverage is a raster file. As a program it is the server.
"""

import contextlib
import http.server
import json
import subprocess
import sys
import urllib.parse
import urllib.request

HOUSES = 25
PAGE = 10
ORIGIN = 340400, 6020500  # of the houses, in EPSG:25832
LONGITUDE, LATITUDE = 6.55, 54.3  # of those of OGC API Features


class Service:
    """How to reach a server that runs. port: of this machine."""

    def __init__(self, port):
        self.port = port

    def wfs(self, **more):
        """The source of the layer of houses. more: parts of it."""
        parts = {"url": f"http://127.0.0.1:{self.port}/wfs", "typename": "town:houses", "version": "2.0.0",
                 "srsname": "EPSG:25832", **more}
        return " ".join(f"{name}='{value}'" for name, value in parts.items())

    def oapif(self, query=""):
        return (f"url='http://127.0.0.1:{self.port}/oapif{query}' typename='houses' pageSize='{PAGE}' "
                "srsname='OGC:CRS84'")

    def wcs(self, query=""):
        return (f"url=http://127.0.0.1:{self.port}/wcs{query}&identifier=ground&version=1.0.0&crs=EPSG:25832&format=GTiff"
                "&cache=AlwaysNetwork")

    def recover(self):
        """Answers all from now on."""
        urllib.request.urlopen(f"http://127.0.0.1:{self.port}/recover").read()

    def pixels_sent(self):
        return json.loads(urllib.request.urlopen(f"http://127.0.0.1:{self.port}/pixels").read())


@contextlib.contextmanager
def running(**settings):
    """A Service. settings: raster: file of the coverage. limit: the most houses in an answer of WFS. is_paging: whether WFS
    gives the rest page by page. fails_from: the number of the first house that is not answered. counts: whether OGC API
    Features says how many houses there are. fails_below: the northing below which no coverage is answered."""
    server = subprocess.Popen([sys.executable, "-B", __file__, json.dumps(settings)], stdout=subprocess.PIPE, text=True)
    try:
        yield Service(int(server.stdout.readline()))
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


NAMESPACES = ('xmlns:wfs="http://www.opengis.net/wfs/2.0" xmlns:gml="http://www.opengis.net/gml/3.2" '
              'xmlns:ows="http://www.opengis.net/ows/1.1" xmlns:xlink="http://www.w3.org/1999/xlink" '
              'xmlns:town="http://town" xmlns:xsd="http://www.w3.org/2001/XMLSchema"')


def squares(left, bottom, step, side):
    for number in range(HOUSES):
        x = left + number * step
        yield [(x, bottom), (x + side[0], bottom), (x + side[0], bottom + side[1]), (x, bottom + side[1]), (x, bottom)]


class Failure(Exception):
    """What is answered with status 500."""


class Wfs:
    def __init__(self, settings):
        self.is_paging, self.fails_from = settings.get("is_paging", False), settings.get("fails_from")
        self.limit = settings.get("limit", HOUSES)

    def answer(self, query, base):
        texts = {"GetCapabilities": self.capabilities, "DescribeFeatureType": self.schema, "GetFeature": self.houses}
        return "text/xml", texts[query["request"]](query, base).encode()

    def capabilities(self, _, base):
        place = f'<ows:DCP><ows:HTTP><ows:Get xlink:href="{base}/wfs?"/></ows:HTTP></ows:DCP>'
        operations = "".join(f'<ows:Operation name="{name}">{place}</ows:Operation>'
                             for name in ("GetCapabilities", "DescribeFeatureType", "GetFeature"))
        values = {"ImplementsResultPaging": "TRUE" if self.is_paging else "FALSE"}
        if self.is_paging:
            values["CountDefault"] = self.limit
        constraints = "".join(f'<ows:Constraint name="{name}"><ows:NoValues/><ows:DefaultValue>{value}</ows:DefaultValue>'
                              "</ows:Constraint>" for name, value in values.items())
        return (f'<wfs:WFS_Capabilities version="2.0.0" {NAMESPACES}><ows:OperationsMetadata>{operations}{constraints}'
                '</ows:OperationsMetadata><wfs:FeatureTypeList><wfs:FeatureType><wfs:Name>town:houses</wfs:Name>'
                '<wfs:Title>houses</wfs:Title><wfs:DefaultCRS>urn:ogc:def:crs:EPSG::25832</wfs:DefaultCRS>'
                '</wfs:FeatureType></wfs:FeatureTypeList></wfs:WFS_Capabilities>')

    def schema(self, *_):
        return (f'<xsd:schema {NAMESPACES} elementFormDefault="qualified" targetNamespace="http://town">'
                '<xsd:complexType name="house"><xsd:complexContent><xsd:extension base="gml:AbstractFeatureType">'
                '<xsd:sequence><xsd:element name="height_m" type="xsd:double"/><xsd:element name="geom" '
                'type="gml:SurfacePropertyType"/></xsd:sequence></xsd:extension></xsd:complexContent></xsd:complexType>'
                '<xsd:element name="houses" substitutionGroup="gml:AbstractFeature" type="town:house"/></xsd:schema>')

    def houses(self, query, _):
        first, count = int(query.get("startindex", 0)), min(self.limit, int(query.get("count", self.limit)))
        collection = f'<wfs:FeatureCollection {NAMESPACES} numberMatched="{HOUSES}" numberReturned='
        if query.get("resulttype") == "hits":
            return f'{collection}"0"/>'
        if self.fails_from is not None and first + count > self.fails_from:
            raise Failure
        sent = list(enumerate(squares(*ORIGIN, 20, (10, 10))))[first:first + count]
        return f'{collection}"{len(sent)}">' + "".join(map(self.member, sent)) + "</wfs:FeatureCollection>"

    def member(self, numbered):
        number, square = numbered
        places = " ".join(f"{x} {y}" for x, y in square)
        return (f'<wfs:member><town:houses gml:id="houses.{number}"><town:height_m>9</town:height_m><town:geom><gml:Polygon '
                f'srsName="urn:ogc:def:crs:EPSG::25832"><gml:exterior><gml:LinearRing><gml:posList>{places}</gml:posList>'
                '</gml:LinearRing></gml:exterior></gml:Polygon></town:geom></town:houses></wfs:member>')


class Oapif:
    def __init__(self, settings):
        self.fails_from, self.counts = settings.get("fails_from"), settings.get("counts", True)

    def answer(self, path, query, base):
        def link(place, kind, media_type="application/json"):
            return {"href": f"{base}/oapif{place}", "rel": kind, "type": media_type}

        items = "/collections/houses/items"
        houses = {"id": "houses", "title": "houses", "links": [link(items, "items", "application/geo+json")],
                  "extent": {"spatial": {"bbox": [[LONGITUDE, LATITUDE, LONGITUDE + 0.1, LATITUDE + 0.1]]}}}
        if path == items:
            first = int(query.get("offset", 0))
            if self.fails_from is not None and first + PAGE > self.fails_from:
                raise Failure
            rest = f"{items}?limit={PAGE}&offset={first + PAGE}"
            return "application/geo+json", json.dumps({
                "type": "FeatureCollection", "features": self.houses()[first:first + PAGE],
                **({"numberMatched": HOUSES} if self.counts else {}),
                "links": [link(rest, "next", "application/geo+json")] if first + PAGE < HOUSES else []}).encode()
        pages = {"": {"title": "town", "links": [link("/conformance", "conformance"), link("/collections", "data"),
                                                 link("/api", "service-desc",
                                                      "application/vnd.oai.openapi+json;version=3.0")]},
                 "/api": {"openapi": "3.0.0", "info": {"title": "town", "version": "1"}, "paths": {}},
                 "/conformance": {"conformsTo": ["http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core",
                                                 "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson"]},
                 "/collections": {"collections": [houses], "links": []}, "/collections/houses": houses}
        media_type = "application/vnd.oai.openapi+json;version=3.0" if path == "/api" else "application/json"
        return media_type, json.dumps(pages[path.rstrip("/")]).encode()

    def houses(self):
        return [{"type": "Feature", "id": str(number), "properties": {"height_m": 9.0},
                 "geometry": {"type": "Polygon", "coordinates": [square]}}
                for number, square in enumerate(squares(LONGITUDE, LATITUDE, 0.0003, (0.00015, 0.0001)))]


class Wcs:
    def __init__(self, settings):
        from osgeo import gdal

        self.gdal, self.fails_below = gdal, settings.get("fails_below")
        self.raster = gdal.Open(settings["raster"]) if "raster" in settings else None
        self.pixels = 0

    def answer(self, query, base):
        if query["request"] == "GetCoverage":
            return "image/tiff", self.coverage(query)
        text = self.capabilities(base) if query["request"] == "GetCapabilities" else self.description()
        return "text/xml", text.encode()

    def capabilities(self, base):
        place = (f'<DCPType><HTTP><Get><OnlineResource xlink:href="{base}/wcs?"/></Get></HTTP></DCPType>')
        operations = "".join(f"<{name}>{place}</{name}>" for name in ("GetCapabilities", "DescribeCoverage", "GetCoverage"))
        return ('<WCS_Capabilities version="1.0.0" xmlns="http://www.opengis.net/wcs" xmlns:gml="http://www.opengis.net/gml" '
                'xmlns:xlink="http://www.w3.org/1999/xlink"><Service><name>town</name><label>town</label></Service>'
                f'<Capability><Request>{operations}</Request></Capability><ContentMetadata><CoverageOfferingBrief>'
                f'<name>ground</name><label>ground</label>{self.envelope()}</CoverageOfferingBrief></ContentMetadata>'
                '</WCS_Capabilities>')

    def envelope(self):
        return (f'<lonLatEnvelope srsName="WGS84(DD)"><gml:pos>{LONGITUDE - 0.5} {LATITUDE - 0.5}</gml:pos>'
                f'<gml:pos>{LONGITUDE + 0.5} {LATITUDE + 0.5}</gml:pos></lonLatEnvelope>')

    def description(self):
        left, width, _, top, _, height = self.raster.GetGeoTransform()
        columns, rows = self.raster.RasterXSize, self.raster.RasterYSize
        return ('<CoverageDescription version="1.0.0" xmlns="http://www.opengis.net/wcs" '
                'xmlns:gml="http://www.opengis.net/gml"><CoverageOffering><name>ground</name><label>ground</label>'
                f'{self.envelope()}<domainSet><spatialDomain><gml:Envelope srsName="EPSG:25832"><gml:pos>{left} '
                f'{top + rows * height}</gml:pos><gml:pos>{left + columns * width} {top}</gml:pos></gml:Envelope>'
                '<gml:RectifiedGrid dimension="2" srsName="EPSG:25832"><gml:limits><gml:GridEnvelope><gml:low>0 0</gml:low>'
                f'<gml:high>{columns - 1} {rows - 1}</gml:high></gml:GridEnvelope></gml:limits><gml:axisName>x'
                '</gml:axisName><gml:axisName>y</gml:axisName><gml:origin>'
                f'<gml:pos>{left + width / 2} {top + height / 2}</gml:pos></gml:origin><gml:offsetVector>{width} 0'
                f'</gml:offsetVector><gml:offsetVector>0 {height}</gml:offsetVector></gml:RectifiedGrid></spatialDomain>'
                '</domainSet><rangeSet><RangeSet><name>heights</name><label>heights</label><nullValues><singleValue>-9999'
                '</singleValue></nullValues></RangeSet></rangeSet><supportedCRSs><requestResponseCRSs>EPSG:25832'
                '</requestResponseCRSs></supportedCRSs><supportedFormats><formats>GTiff</formats></supportedFormats>'
                '</CoverageOffering></CoverageDescription>')

    def coverage(self, query):
        bounds, size = [float(part) for part in query["bbox"].split(",")], (int(query["width"]), int(query["height"]))
        self.pixels += size[0] * size[1]
        if self.fails_below is not None and bounds[1] < self.fails_below:
            raise Failure
        self.gdal.Warp("/vsimem/sent.tif", self.raster, format="GTiff", outputBounds=bounds, width=size[0], height=size[1],
                       dstNodata=-9999)
        file = self.gdal.VSIFOpenL("/vsimem/sent.tif", "rb")
        sent = bytes(self.gdal.VSIFReadL(1, self.gdal.VSIStatL("/vsimem/sent.tif").size, file))
        self.gdal.VSIFCloseL(file)
        return sent


def serve(settings):
    wfs, oapif, wcs = Wfs(settings), Oapif(settings), Wcs(settings)

    def answer(path, query, base):
        if path.startswith("/oapif"):
            return oapif.answer(path[len("/oapif"):], query, base)
        if path == "/recover":
            wfs.fails_from = oapif.fails_from = wcs.fails_below = None
            return "text/plain", b""
        if path == "/pixels":
            return "application/json", json.dumps(wcs.pixels).encode()
        return {"/wfs": wfs, "/wcs": wcs}[path].answer(query, base)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # noqa: N802
            address = urllib.parse.urlparse(self.path)
            query = {name.lower(): values[0] for name, values in urllib.parse.parse_qs(address.query).items()}
            base = f"http://127.0.0.1:{self.server.server_address[1]}"
            try:
                status, (media_type, body) = 200, answer(address.path, query, base)
            except Failure:
                status, media_type, body = 500, "text/plain", b"the database is down"
            self.send_response(status)
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    serve(json.loads(sys.argv[1]))
