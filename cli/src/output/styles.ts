import { visible } from "@agent-workspace/client";

/** Select Graphic Rendition codes: on and off. Source: ECMA-48, section 8.3.117. */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

type Style = keyof typeof CODES;

/** A text with a style. It is made visible when it is rendered, as every text is. */
interface Styled {
  readonly style: Style;
  readonly text: string;
}

/** What is printed: plain and styled texts, which may all be foreign. */
export type Part = string | Styled;

const styled =
  (style: Style) =>
  (text: string): Styled => ({ style, text });

export const bold = styled("bold");
export const dim = styled("dim");
export const red = styled("red");
export const green = styled("green");
export const yellow = styled("yellow");
export const cyan = styled("cyan");

/** The only way from a text to a terminal: of all control sequences, only the styles here are obeyed. */
export function render(parts: readonly Part[], hasColours: boolean): string {
  return parts
    .map((part) => {
      if (typeof part === "string") return visible(part);
      const [on, off] = CODES[part.style];
      return hasColours ? `\u001B[${on}m${visible(part.text)}\u001B[${off}m` : visible(part.text);
    })
    .join("");
}
