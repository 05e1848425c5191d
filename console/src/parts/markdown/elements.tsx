import type { MarkedToken, Token, Tokens } from "marked";
import type { ComponentChildren, VNode } from "preact";
import { Formula } from "./formula.tsx";
import { isMaths } from "./maths-tokens.ts";
import { CodeBlock } from "../code-block.tsx";
import { FileName, LinkedFile } from "../files/file-link.tsx";
import { ProjectPicture } from "../files/project-picture.tsx";
import { linkedFile } from "../files/linked-file.ts";

/**
 * Tokens of Markdown as elements. The text never becomes HTML: HTML in it is shown as text, and an address is a link only for
 * http, https and mailto, or the path of a file. A picture is shown from the project alone; from elsewhere it is a link,
 * because loading it could carry a secret out in its address.
 */
export function elementOf(token: Token): ComponentChildren {
  if (isMaths(token)) return <Formula {...token} />;
  return isMarked(token) ? knownElement(token) : token.raw;
}

/** Without other extensions the lexer makes no other tokens. */
function isMarked(token: Token): token is MarkedToken {
  return "type" in token;
}

function knownElement(token: MarkedToken): ComponentChildren {
  switch (token.type) {
    case "heading":
      return heading(token);
    case "paragraph":
      return <p dir="auto">{elementsOf(token.tokens)}</p>;
    case "text":
      return token.tokens ? elementsOf(token.tokens) : token.text;
    case "strong":
      return <strong>{elementsOf(token.tokens)}</strong>;
    case "em":
      return <em>{elementsOf(token.tokens)}</em>;
    case "del":
      return <del>{elementsOf(token.tokens)}</del>;
    case "codespan":
      return <FileName text={token.text} />;
    case "code":
      return <CodeBlock text={token.text} language={token.lang?.split(/[\s,{]/u)[0]?.toLowerCase()} />;
    case "blockquote":
      return <blockquote dir="auto">{elementsOf(token.tokens)}</blockquote>;
    case "list":
      return list(token);
    case "table":
      return table(token);
    case "link":
      return <Link href={token.href}>{elementsOf(token.tokens)}</Link>;
    case "image":
      return <Picture href={token.href} text={token.text} />;
    case "br":
      return <br />;
    case "hr":
      return <hr />;
    case "space":
    case "def":
      return null;
    case "escape":
      return token.text;
    case "checkbox":
      return (
        <input
          type="checkbox"
          checked={token.checked}
          disabled
          aria-label={token.checked ? "Done" : "To do"}
        />
      );
    case "html":
    case "list_item":
    default:
      return token.raw;
  }
}

function elementsOf(tokens: readonly Token[]): ComponentChildren {
  return tokens.map(elementOf);
}

function heading({ depth, tokens }: Tokens.Heading): VNode {
  // Below the heading of the page.
  const Name = (["h2", "h3", "h4", "h5", "h6"] as const)[depth - 1] ?? "h6";
  return <Name dir="auto">{elementsOf(tokens)}</Name>;
}

function list({ ordered, start, items }: Tokens.List): VNode {
  const entries = items.map((item, index) => (
    <li key={index} class={item.task ? "of-checks" : undefined}>
      {elementsOf(item.tokens)}
    </li>
  ));
  return ordered ? (
    <ol dir="auto" start={Number(start) || 1}>
      {entries}
    </ol>
  ) : (
    <ul dir="auto">{entries}</ul>
  );
}

function table({ header, rows }: Tokens.Table): VNode {
  return (
    <div class="scrolled" tabIndex={0}>
      <table dir="auto">
        <thead>
          <tr>
            {header.map(({ tokens }, index) => (
              <th key={index} scope="col">
                {elementsOf(tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map(({ tokens }, index) => (
                <td key={index}>{elementsOf(tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Picture({ href, text }: { href: string; text: string }) {
  const file = linkedFile(href);
  if (file) return <ProjectPicture path={file.path} text={text} />;
  return <Link href={href}>{text || href}</Link>;
}

function Link({ href, children }: { href: string; children: ComponentChildren }) {
  const file = linkedFile(href);
  if (file) return <LinkedFile {...file}>{children}</LinkedFile>;
  const url = URL.parse(href);
  if (!url || !["http:", "https:", "mailto:"].includes(url.protocol)) return <>{children}</>;
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
