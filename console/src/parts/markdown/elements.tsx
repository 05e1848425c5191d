import type { MarkedToken, Token, Tokens } from "marked";
import type { ComponentChildren, VNode } from "preact";

/**
 * Tokens of Markdown as elements. The text never becomes HTML: HTML in it is shown as text, an address is a link only for
 * http, https and mailto, and a picture is a link, because loading it could carry a secret out in its address.
 */
export function elementOf(token: Token): ComponentChildren {
  return isMarked(token) ? knownElement(token) : token.raw;
}

/** Without extensions the lexer makes no other tokens. */
function isMarked(token: Token): token is MarkedToken {
  return "type" in token;
}

function knownElement(token: MarkedToken): ComponentChildren {
  switch (token.type) {
    case "heading":
      return heading(token);
    case "paragraph":
      return <p>{elementsOf(token.tokens)}</p>;
    case "text":
      return token.tokens ? elementsOf(token.tokens) : token.text;
    case "strong":
      return <strong>{elementsOf(token.tokens)}</strong>;
    case "em":
      return <em>{elementsOf(token.tokens)}</em>;
    case "del":
      return <del>{elementsOf(token.tokens)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "code":
      return (
        <pre tabIndex={0}>
          <code>{token.text}</code>
        </pre>
      );
    case "blockquote":
      return <blockquote>{elementsOf(token.tokens)}</blockquote>;
    case "list":
      return list(token);
    case "table":
      return table(token);
    case "link":
      return <Link href={token.href}>{elementsOf(token.tokens)}</Link>;
    case "image":
      return <Link href={token.href}>{token.text || token.href}</Link>;
    case "br":
      return <br />;
    case "hr":
      return <hr />;
    case "space":
    case "def":
      return null;
    case "escape":
      return token.text;
    case "html":
    case "list_item":
    case "checkbox":
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
  return <Name>{elementsOf(tokens)}</Name>;
}

function list({ ordered, start, items }: Tokens.List): VNode {
  const entries = items.map((item, index) => (
    <li key={index}>
      {item.task && <input type="checkbox" checked={item.checked === true} disabled />}
      {elementsOf(item.tokens)}
    </li>
  ));
  return ordered ? <ol start={Number(start) || 1}>{entries}</ol> : <ul>{entries}</ul>;
}

function table({ header, rows }: Tokens.Table): VNode {
  return (
    <div class="scrolled" tabIndex={0}>
      <table>
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

function Link({ href, children }: { href: string; children: ComponentChildren }) {
  const url = URL.parse(href);
  if (!url || !["http:", "https:", "mailto:"].includes(url.protocol)) return <>{children}</>;
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
