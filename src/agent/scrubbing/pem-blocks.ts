import type { Span } from "./spans.ts";

/** A PEM block, or the part of it that is present. `start` is where its first line begins. */
export interface PemBlock {
  start: number;
  /** Where the text between the first and the last line begins and ends. */
  bodyStart: number;
  bodyEnd: number;
  isPrivate: boolean;
  /** Whether its last line is present. */
  isClosed: boolean;
  label: string;
}

const BEGIN = "-----BEGIN ";
const END = "-----END ";
/** RFC 7468 sets no limit; the longest labels in use are `ENCRYPTED PRIVATE KEY` and `PGP PRIVATE KEY BLOCK`. */
const MAX_LABEL_LENGTH = 48;
/** Longest body of a private key. RSA with 16,384 bits takes 13 KB. */
const MAX_BODY_LENGTH = 32 * 1024;
/** Fewest base64 characters of a real key; an example with three dots has fewer. */
const MIN_KEY_LENGTH = 32;

/** Returns the PEM blocks of a text, in order. */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  let from = text.indexOf(BEGIN);
  while (from !== -1) {
    const block = blockAt(text, from);
    if (block) blocks.push(block);
    from = text.indexOf(BEGIN, block ? block.bodyEnd : from + BEGIN.length);
  }
  return blocks;
}

/** Returns the bodies of private keys. */
export function privateKeys(text: string, blocks: readonly PemBlock[]): Span[] {
  return blocks.flatMap(({ isPrivate, bodyStart, bodyEnd }) => {
    if (!isPrivate) return [];
    const body = text.slice(bodyStart, bodyEnd);
    if (body.replaceAll(/[^A-Za-z0-9+/]/gu, "").length < MIN_KEY_LENGTH) return [];
    const start = bodyStart + (/^(?:\s|\\[rn])*/u.exec(body)?.[0].length ?? 0);
    const end = bodyEnd - (/(?:\s|\\[rn]){0,16}$/u.exec(body)?.[0].length ?? 0);
    return [{ start, end, key: undefined }];
  });
}

function blockAt(text: string, start: number): PemBlock | undefined {
  const labelStart = start + BEGIN.length;
  const labelEnd = text.indexOf("-----", labelStart);
  if (labelEnd === -1 || labelEnd - labelStart > MAX_LABEL_LENGTH) return undefined;
  const label = text.slice(labelStart, labelEnd);
  const bodyStart = labelEnd + 5;
  // Also matches a body inside a quoted string: `\n` escapes, and a backslash at the end of a line.
  const body =
    /^[A-Za-z0-9+/=\s\\:,.()-]*/u.exec(text.slice(bodyStart, bodyStart + MAX_BODY_LENGTH))?.[0] ?? "";
  const closed = body.indexOf(END);
  const bodyEnd = bodyStart + (closed === -1 ? body.length : closed);
  return { start, bodyStart, bodyEnd, isPrivate: label.includes("PRIVATE"), isClosed: closed !== -1, label };
}
