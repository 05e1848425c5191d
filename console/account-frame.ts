import path from "node:path";
import type { Plugin } from "vite";

const ACCOUNT = path.join(import.meta.dirname, "account");

/** Completes the account pages while they are built: a file of `console/account` has the title and `<main>` of its page. */
export function accountFrame(): Plugin {
  return {
    name: "account-frame",
    transformIndexHtml: {
      order: "pre",
      handler: (html, { filename }) =>
        path.dirname(filename) === ACCOUNT ? framed(html, path.basename(filename, ".html")) : html,
    },
  };
}

function framed(html: string, name: string): string {
  const { title, opening, content } =
    /^<title>(?<title>.+)<\/title>\s*(?<opening><main[^>]*>)(?<content>.*)<\/main>\s*$/su.exec(html)
      ?.groups ?? {};
  if (content === undefined) throw new Error(`console/account/${name}.html is no title followed by <main>`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title} · Agent Workspace</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/src/style/account.css" />
    <script type="module" src="/src/account/${name}.ts"></script>
  </head>
  <body>
    ${opening}
      <p class="brand">Agent Workspace</p>
      ${content}
      <noscript><p class="notice bad">This page needs JavaScript.</p></noscript>
    </main>
  </body>
</html>
`;
}
