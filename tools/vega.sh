#!/bin/sh
# Builds python/acklab/report/assets/vega.min.js, the library that draws a page's charts: Vega-Lite, the parts of Vega that it needs, and
# the interpreter of their expressions, which needs no eval. From the npm registry; needs node and npm.
set -eu
target=$(cd "$(dirname "$0")/.." && pwd)/python/acklab/report/assets/vega.min.js
cd "$(mktemp -d)"
npm init -y >/dev/null
npm install --silent vega@6.4.0 vega-lite@6.4.3 vega-interpreter@2.3.2 esbuild@0.28.2
node node_modules/esbuild/install.js
cat >entry.mjs <<'END'
import { transforms } from "vega-dataflow";
import * as basic from "vega-transforms";
import * as view from "vega-view-transforms";
import * as encode from "vega-encode";
import { View } from "vega-view";
import { parse } from "vega-parser";
import { expressionInterpreter as expr } from "vega-interpreter";
import { compile } from "vega-lite";
Object.assign(transforms, basic, view, encode);
globalThis.vega = { View, parse, expr, compile };
END
# Signs that an editor may change are written as escapes.
npx esbuild entry.mjs --bundle --minify --format=iife --target=es2020 --legal-comments=inline | sed 's/\t/\\t/g' >"$target"
