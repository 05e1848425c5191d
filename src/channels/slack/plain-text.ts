/** Characters that Slack escapes in texts, and no others. */
const ESCAPED: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/** A text of Slack's as a person reads it: `<https://a.example|docs>` is `docs (https://a.example)`, `&lt;` is `<`. */
export function plainText(text: string): string {
  return text
    .replaceAll(/<([^<>]+)>/gu, (_, inner: string) => plainReference(inner))
    .replaceAll(/&(?:lt|gt|amp);/gu, (entity) => ESCAPED[entity] ?? entity);
}

/** What stands between angle brackets: a user, a channel, a group or an address, and maybe its label after `|`. */
function plainReference(inner: string): string {
  const bar = inner.indexOf("|");
  const target = bar === -1 ? inner : inner.slice(0, bar);
  const label = bar === -1 ? "" : inner.slice(bar + 1);
  switch (target.slice(0, 1)) {
    case "@": {
      return `@${label || target.slice(1)}`;
    }
    case "#": {
      return `#${label || target.slice(1)}`;
    }
    case "!": {
      return label || `@${target.slice(1)}`;
    }
    default: {
      // Slack makes addresses of bare names and mail addresses; those are their own label.
      const isSame = label === "" || target.endsWith(label);
      return isSame ? label || target : `${label} (${target})`;
    }
  }
}
