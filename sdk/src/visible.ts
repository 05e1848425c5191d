/**
 * Characters that a screen hides or a terminal obeys, except line feed and tab:
 * C0, DEL and C1 (cursor, title, clipboard, links); marks that reorder text (U+202A to U+202E, U+2066 to U+2069 and others);
 * characters without width, with which two different names look the same; line separators; tags; halves of a pair.
 */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}\p{Cs}]/gu;

/**
 * A joiner is part of an emoji, and of words in Arabic and Indic scripts. Between other characters it only makes two names
 * look the same. Source: Unicode Standard Annex 31, section 2.3.
 */
const STRAY_JOINER =
  /(?<![\p{Extended_Pictographic}\uFE0F\p{Emoji_Modifier}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}])[\u200C\u200D]/gu;

const CARRIAGE_RETURN_LINE_FEED = /\r\n/gu;

/** U+2400 and on are the pictures of the characters from 0. */
const PICTURES = 0x2400;
const SPACE = 0x20;
const DELETE = 0x7f;
const PICTURE_OF_DELETE = "\u2421";

/**
 * Text of models, tools, files and names as a person may read it before deciding: nothing in it is hidden, reorders what is
 * shown, or is obeyed by a terminal. Escape is `␛`, other such characters are their picture or `\u{…}`, or what `shown`
 * returns. Line feeds and tabs stay; CR LF is LF.
 */
export function visible(text: string, shown: (character: string) => string = picture): string {
  return text
    .replaceAll(CARRIAGE_RETURN_LINE_FEED, "\n")
    .replaceAll(HIDDEN, (character) => shown(character))
    .replaceAll(STRAY_JOINER, (character) => shown(character));
}

/** As `visible`, in one line: line feeds and tabs are spaces. For names, and cells of a table. */
export function visibleLine(text: string): string {
  return visible(text.replaceAll(/[\r\n\t ]+/gu, " ").trim());
}

function picture(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < SPACE) return String.fromCodePoint(PICTURES + code);
  if (code === DELETE) return PICTURE_OF_DELETE;
  return `\\u{${code.toString(16).toUpperCase().padStart(4, "0")}}`;
}
