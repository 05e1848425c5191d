import type { ServiceTemplate } from "./service-template.ts";

/** A page without a build: its files are served as they are. */
export const staticSite: ServiceTemplate = {
  id: "01900000-0000-7000-8000-000000000001",
  files: {
    "index.html": `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Hello</title>
    <link rel="stylesheet" href="style.css" />
    <script type="module" src="script.js"></script>
  </head>
  <body>
    <main>
      <h1>Hello</h1>
      <p>This page was opened at <time id="now"></time>.</p>
    </main>
  </body>
</html>
`,
    "style.css": `:root {
  color-scheme: light dark;
  font-family: system-ui, sans-serif;
  line-height: 1.5;
}

body {
  margin: 0;
  min-height: 100vh;
  display: grid;
  place-items: center;
}

main {
  max-width: 40rem;
  padding: 2rem;
}
`,
    "script.js": `document.querySelector("#now").textContent = new Date().toLocaleTimeString();
`,
    "README.md": `# Static site

\`index.html\`, \`style.css\` and \`script.js\` are served as they are: there is nothing to install or to build.
`,
    ".workspace/config.json": `{
  "apps": { "site": { "directory": ".", "port": 3000, "start": "", "framework": "static" } },
  "primaryApp": "site"
}
`,
  },
};
