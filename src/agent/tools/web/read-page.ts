import { AppError } from "#src/lib/errors.ts";
import type { SafeFetch, SafeFetchAnswer } from "#src/platform/safe-fetch/safe-fetch.ts";
import { htmlToMarkdown } from "./html-to-markdown.ts";

/** Most bytes read of a page. Converting HTML costs up to about a second of work per MiB. */
const MAX_BYTES = 1024 * 1024;

/** Models read Markdown best, and some sites offer it; plain text comes after HTML because it loses the links. */
const ACCEPT = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5";

export interface Page {
  /** After redirects. */
  url: string;
  status: number;
  /** As the server declares it, without parameters; empty without a declaration. */
  contentType: string;
  /** HTML as Markdown, any other text unchanged. */
  text: string;
  /** Whether the page was longer than the part that was read. */
  truncated: boolean;
}

/**
 * Returns the text of an address, whatever its status. Throws `invalid_input` for an address that is refused and for
 * content that is not text, and `unavailable` as `SafeFetch` does.
 */
export async function readPage(safeFetch: SafeFetch, url: string, timeoutMs: number): Promise<Page> {
  const answer = await safeFetch(url, { headers: { accept: ACCEPT }, maxBytes: MAX_BYTES, timeoutMs });
  const { status, truncated } = answer;
  const { type, charset } = contentTypeOf(answer);
  const decoded = isTextType(type)
    ? decode(answer.body, charset ?? charsetInside(answer.body, type))
    : undefined;
  if (decoded === undefined) {
    const what = type === "" ? "something" : type.slice(0, 80);
    throw new AppError("invalid_input", `The address holds ${what}, which is not text (status ${status})`);
  }
  const isHtml = HTML.has(type) || (type === "" && /^\s*<(?:!doctype html|html)\b/iu.test(decoded));
  const text = isHtml ? await htmlToMarkdown(decoded, answer.url) : decoded;
  return { url: answer.url, status, contentType: type, text, truncated };
}

const HTML: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"]);

/** Types of text that are not named `text/…`, `…+json` or `…+xml`. */
const TEXT: ReadonlySet<string> = new Set([
  "application/json",
  "application/x-ndjson",
  "application/ndjson",
  "application/jsonl",
  "application/xml",
  "application/javascript",
  "application/x-javascript",
  "application/ecmascript",
  "application/typescript",
  "application/yaml",
  "application/x-yaml",
  "application/toml",
  "application/sql",
  "application/graphql",
  "application/x-sh",
  "application/x-www-form-urlencoded",
  "image/svg+xml",
]);

/** Without a declared type, the content counts as text if it decodes. */
function isTextType(type: string): boolean {
  return type === "" || type.startsWith("text/") || TEXT.has(type) || /\+(?:json|xml|yaml)$/u.test(type);
}

function contentTypeOf({ headers }: SafeFetchAnswer): { type: string; charset: string | undefined } {
  const [type = "", ...parameters] = (headers.get("content-type") ?? "").split(";");
  const charset = parameters.map(
    (each) => /^\s*charset\s*=\s*"?(?<name>[^\s"]+)/iu.exec(each)?.groups?.["name"],
  );
  return { type: type.trim().toLowerCase(), charset: charset.find((name) => name !== undefined) };
}

/**
 * An HTML page must declare its encoding within these bytes:
 * https://html.spec.whatwg.org/multipage/semantics.html#charset
 */
const CHARSET_BYTES = 1024;

function charsetInside(body: Uint8Array, type: string): string | undefined {
  if (!HTML.has(type) && type !== "") return undefined;
  const head = new TextDecoder("latin1").decode(body.subarray(0, CHARSET_BYTES));
  return /<meta\b[^>]*\bcharset\s*=\s*["']?(?<name>[\w:.-]+)/iu.exec(head)?.groups?.["name"];
}

/** Decodes a body; `undefined` for content that is not text. An unknown encoding counts as UTF-8. */
function decode(body: Uint8Array, charset: string | undefined): string | undefined {
  const text = decoderOf(charset).decode(body);
  return text.includes("\0") ? undefined : text;
}

function decoderOf(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
