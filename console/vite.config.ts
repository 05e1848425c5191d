import path from "node:path";
import { defineConfig } from "vite";
import { accountFrame } from "./account-frame.ts";

/** The console and the account pages, built into static files of the Worker under `/app`. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/app/",
  plugins: [accountFrame()],
  // The sources of the client, not what was built of them.
  resolve: { conditions: ["workspace-source", "module", "browser", "import"] },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: path.join(import.meta.dirname, "../public/app"),
    emptyOutDir: true,
    // Tells tests what a page loads.
    manifest: true,
    target: ["chrome120", "firefox121", "safari17"],
    // An inlined file would need `data:` in the page's policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  logLevel: "warn",
});
