import type http from "node:http";
import { randomUUID } from "node:crypto";

/** HTML that is safe to send. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | null | undefined | Markup | Markup[];

/** Builds HTML; texts in it are escaped. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(strings.map((text, at) => text + (at < parts.length ? toText(parts[at]) : "")).join(""));
}

function toText(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (Array.isArray(part)) return part.map(toText).join("");
  return String(part ?? "").replaceAll(/[&<>"']/gu, (character) => `&#${character.codePointAt(0)};`);
}

/** A button that posts fields to an address of the stand-in. */
export function button(action: string, label: string, fields: Readonly<Record<string, string>> = {}): Markup {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  return html`<form method="post" action="${action}">${hidden}<button>${label}</button></form>`;
}

const STYLE = `
  :root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5;
    --page: light-dark(#f4f5f7, #101216); --card: light-dark(#fff, #191c22); --line: light-dark(#d9dce3, #31363f);
    --muted: light-dark(#5a6272, #a3abba); --accent: light-dark(#2f5bd8, #8fb0ff); --on: light-dark(#fff, #10131a);
    --bad: light-dark(#a4262c, #ff9c9f); }
  body { margin: 0; background: var(--page); }
  main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
  section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; margin: 1rem 0;
    overflow-x: auto; }
  h1 { font-size: 1.25rem; } h2 { font-size: 1rem; margin-top: 0; }
  table { border-collapse: collapse; width: 100%; font-size: .875rem; }
  td, th { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); }
  form { display: inline-block; margin: .125rem .25rem .125rem 0; }
  button, .button { font: inherit; padding: .375rem .75rem; border: 0; border-radius: .375rem; background: var(--accent);
    color: var(--on); cursor: pointer; text-decoration: none; display: inline-block; }
  .muted { color: var(--muted); } .bad { color: var(--bad); }
`;

/**
 * Sends a page. It runs no scripts; its forms post to the stand-in, which may lead back to the service. `standsFor` names
 * what is stood in for, `notice` says it in a sentence.
 */
export function sendPage(
  response: http.ServerResponse,
  {
    title,
    body,
    standsFor,
    notice,
    status = 200,
  }: { title: string; body: Markup; standsFor: string; notice: string; status?: number },
): void {
  const nonce = randomUUID();
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · ${standsFor} stand-in</title>
        <link rel="icon" href="data:," />
        <style nonce="${nonce}">
          ${new Markup(STYLE)}
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          <p class="muted">${notice}</p>
          ${body}
        </main>
      </body>
    </html> `;
  response
    .writeHead(status, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; style-src 'nonce-${nonce}'; img-src data:; base-uri 'none'; frame-ancestors 'none'`,
      "cache-control": "no-store",
      "referrer-policy": "same-origin",
    })
    .end(page.text);
}

/** Leads the browser on, with a GET. */
export function redirect(response: http.ServerResponse, location: string): void {
  response.writeHead(303, { location, "cache-control": "no-store" }).end();
}
