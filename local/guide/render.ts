import { Marked } from "marked";
import type { GuidePage } from "./contents.ts";

/** Returns the page as HTML. It needs one stylesheet of its own origin, and no script. */
export function renderPage(page: GuidePage, guide: readonly GuidePage[]): string {
  const place = guide.indexOf(page);
  const [previous, next] = [guide[place - 1], guide[place + 1]];
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="description" content="${escapeHtml(page.summary)}" />
    <title>${escapeHtml(page.title)} · Agent Workspace</title>
    <link rel="icon" href="data:," />
    <link rel="alternate" type="text/markdown" href="/guide/${page.name}.md" />
    <link rel="stylesheet" href="/guide/style.css" />
  </head>
  <body>
    <nav aria-label="Guide">
      <p class="brand"><a href="/guide">Agent Workspace</a></p>
      <ol>
${guide.map((each) => `        <li>${linkTo(each, each === page)}</li>`).join("\n")}
      </ol>
      <p><a href="/docs">API reference</a></p>
    </nav>
    <main>
${htmlOf(page.markdown)}
      <p class="around">${previous ? `<span>← ${linkTo(previous)}</span>` : "<span></span>"}${next ? `<span>${linkTo(next)} →</span>` : ""}</p>
    </main>
  </body>
</html>
`;
}

/** Returns the pages for language models, in the form of https://llmstxt.org: a title, a summary, and links to Markdown. */
export function renderLlmsTxt([contents, ...pages]: readonly GuidePage[]): string {
  const links = pages.map((page) => `- [${page.title}](/guide/${page.name}.md): ${page.summary}`);
  return `# Agent Workspace Service

> ${contents?.summary.replaceAll("\n", " ") ?? ""}

## Guide

${links.join("\n")}

## Reference

- [OpenAPI document](/openapi.json): every endpoint, event and frame, with schemas and examples
`;
}

/** The address of a page on the service, without an ending. */
export function addressOf({ name }: Pick<GuidePage, "name">): string {
  return name === "index" ? "/guide" : `/guide/${name}`;
}

function linkTo(page: GuidePage, isCurrent = false): string {
  const current = isCurrent ? ' aria-current="page"' : "";
  return `<a href="${addressOf(page)}"${current}>${escapeHtml(page.title)}</a>`;
}

function htmlOf(markdown: string): string {
  const renderer = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }) {
        const id = fragmentOf(text);
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(toAddress(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      table(token) {
        const rows = [token.header, ...token.rows].map((cells, row) => {
          const cell = row === 0 ? "th" : "td";
          return `<tr>${cells.map(({ tokens }) => `<${cell}>${this.parser.parseInline(tokens)}</${cell}>`).join("")}</tr>`;
        });
        return `<div class="table"><table>\n${rows.join("\n")}\n</table></div>\n`;
      },
    },
  });
  return renderer.parse(markdown, { async: false });
}

/** The service's address in the pages' source. */
const LOCAL_SERVICE = "http://127.0.0.1:8787/";

/**
 * Pages of the guide link to one another as files, and to the service where `npm start` runs it, so that their links work in
 * the repository, too.
 */
function toAddress(href: string): string {
  if (href.startsWith(LOCAL_SERVICE)) return href.slice(LOCAL_SERVICE.length - 1);
  const [, name, fragment = ""] = /^([a-z-]+)\.md(#.*)?$/u.exec(href) ?? [];
  return name === undefined ? href : `${addressOf({ name })}${fragment}`;
}

/** A heading's fragment, as GitHub makes it. */
export function fragmentOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
