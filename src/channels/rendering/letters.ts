import { type Joint, SEPARATOR } from "./marked.ts";

/** Whether a marker of Slack or WhatsApp would be taken as text, for the letter or number at its outer side. */
export function isLetterBeside(before: Joint, next: Joint): boolean {
  return (next.part === "opening" && isLetter(before)) || (before.part === "closing" && isLetter(next));
}

function isLetter({ character }: Joint): boolean {
  return /[\p{L}\p{N}\p{M}]/u.test(character);
}

/** Text without the three backticks in a row that begin or end a block of code. */
export function withoutFences(text: string): string {
  return text.replaceAll(/`(?=``)|(?<=`)`(?=`)/g, `\`${SEPARATOR}`);
}
