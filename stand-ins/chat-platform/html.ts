import { badRequest } from "./bot-error.ts";
import type { ApiEntity } from "./message.ts";

/** A text without its markup. */
export interface FormattedText {
  text: string;
  entities: ApiEntity[];
}

const TYPES: Readonly<Record<string, string>> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  code: "code",
  pre: "pre",
  a: "text_link",
  blockquote: "blockquote",
  "tg-spoiler": "spoiler",
  span: "spoiler",
};

const REFERENCES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

interface OpenTag {
  name: string;
  attributes: ReadonlyMap<string, string>;
  offset: number;
}

/**
 * Reads the Bot API's HTML, and refuses what it refuses, in its words:
 * https://core.telegram.org/bots/api#html-style
 */
export function parseHtml(html: string): FormattedText {
  const open: OpenTag[] = [];
  const entities: ApiEntity[] = [];
  let text = "";
  let at = 0;
  while (at < html.length) {
    const rest = html.slice(at);
    if (rest.startsWith("<")) {
      const tag = /^<(\/?)([a-z][a-z0-9-]*)?([^<>]*)>/iu.exec(rest);
      const name = tag?.[2]?.toLowerCase() ?? "";
      if (tag?.[1] === "/") close(open, name, { entities, text, byte: bytesBefore(html, at) });
      else open.push(openTag(name, tag?.[3] ?? "", text.length, bytesBefore(html, at)));
      at += tag?.[0].length ?? 1;
      continue;
    }
    const reference = /^&(?:(lt|gt|amp|quot)|#(\d{1,7})|#x([0-9a-f]{1,6}));/iu.exec(rest);
    if (reference) {
      text += characterOf(reference);
      at += reference[0].length;
      continue;
    }
    text += html[at];
    at += 1;
  }
  const unclosed = open.at(-1);
  if (unclosed) throw cannotParse(`Can't find end tag corresponding to start tag "${unclosed.name}"`);
  return trimmed(text, entities);
}

function characterOf([, name, decimal, hexadecimal]: RegExpExecArray): string {
  if (name !== undefined) return REFERENCES[name.toLowerCase()] ?? "";
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "0", 16) : Number(decimal);
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : "";
}

function openTag(name: string, rest: string, offset: number, byte: number): OpenTag {
  const attributes = new Map(
    [...rest.matchAll(/([a-z-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/giu)].map(
      ([, key = "", double, single, bare]) => [
        key.toLowerCase(),
        (double ?? single ?? bare ?? "").replaceAll(
          /&(lt|gt|amp|quot);/gu,
          (_, each: string) => REFERENCES[each] ?? "",
        ),
      ],
    ),
  );
  const isKnown = TYPES[name] !== undefined && (name !== "span" || attributes.get("class") === "tg-spoiler");
  if (!isKnown) throw cannotParse(`Unsupported start tag "${name}" at byte offset ${byte}`);
  return { name, attributes, offset };
}

function close(
  open: OpenTag[],
  name: string,
  { entities, text, byte }: { entities: ApiEntity[]; text: string; byte: number },
): void {
  const tag = open.pop();
  if (!tag) throw cannotParse(`Unexpected end tag at byte offset ${byte}`);
  if (name !== "" && name !== tag.name) {
    throw cannotParse(
      `Unmatched end tag at byte offset ${byte}, expected "</${tag.name}>", found "</${name}>"`,
    );
  }
  const length = text.length - tag.offset;
  if (length === 0) return;
  entities.push({
    type: TYPES[tag.name] ?? "",
    offset: tag.offset,
    length,
    ...detailsOf(tag, entities, length),
  });
}

/** A link's address, and the language of a code block: it stands at a `code` that fills the `pre`. */
function detailsOf({ name, attributes, offset }: OpenTag, entities: ApiEntity[], length: number): object {
  const url = attributes.get("href");
  if (name === "a" && url !== undefined) return { url };
  const language = attributes.get("class")?.replace(/^language-/u, "");
  if (name === "code" && language !== undefined) return { language };
  if (name !== "pre") return {};
  const within = entities.findIndex(
    (entity) => entity.type === "code" && entity.offset === offset && entity.length === length,
  );
  const [code] = within === -1 ? [] : entities.splice(within, 1);
  return code?.language === undefined ? {} : { language: code.language };
}

/** White space around a text is dropped. */
function trimmed(text: string, entities: readonly ApiEntity[]): FormattedText {
  const before = text.length - text.trimStart().length;
  const shown = text.trim();
  return {
    text: shown,
    entities: entities
      .map(({ offset, length, ...entity }) => {
        const from = Math.max(0, offset - before);
        const to = Math.min(shown.length, offset - before + length);
        return { ...entity, offset: from, length: to - from };
      })
      .filter(({ length }) => length > 0)
      .toSorted((a, b) => a.offset - b.offset || b.length - a.length),
  };
}

function bytesBefore(html: string, at: number): number {
  return Buffer.byteLength(html.slice(0, at));
}

function cannotParse(what: string): Error {
  return badRequest(`can't parse entities: ${what}`);
}

/** What the platform marks in a text by itself: commands, mentions and addresses. */
export function entitiesIn(text: string): ApiEntity[] {
  const marks: readonly [type: string, pattern: RegExp][] = [
    ["bot_command", /(?<![\w/])\/[a-z0-9_]{1,32}(?:@\w{3,32})?(?!\w)/giu],
    ["mention", /(?<![\w@/])@\w{3,32}/giu],
    ["url", /https?:\/\/[^\s<>"]+/giu],
  ];
  return marks
    .flatMap(([type, pattern]) =>
      [...text.matchAll(pattern)].map(({ index, 0: found }) => ({
        type,
        offset: index,
        length: found.length,
      })),
    )
    .toSorted((a, b) => a.offset - b.offset);
}
