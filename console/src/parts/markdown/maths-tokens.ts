import type { TokenizerExtensionFunction, TokenizerStartFunction } from "marked";

/** A formula in a text. */
export interface MathsToken {
  readonly type: "maths";
  readonly raw: string;
  readonly tex: string;
  readonly isBlock: boolean;
}

export function isMaths(token: { type: string }): token is MathsToken {
  return token.type === "maths";
}

const BLOCK = /^(?:\$\$(?<dollars>[^$]+?)\$\$|\\\[(?<brackets>[\s\S]+?)\\\])[ \t]*(?:\n|$)/u;
/** Between dollars no space stands at the edges, and no digit follows: prices are no formulas. */
const INLINE = /^(?:\$(?<dollars>(?! )[^$\n]+?(?<![ \\]))\$(?!\d)|\\\((?<brackets>[^\n]+?)\\\))/u;

const tokenOf =
  (pattern: RegExp, isBlock: boolean): TokenizerExtensionFunction =>
  (source) => {
    const found = pattern.exec(source);
    const tex = found?.groups?.["dollars"] ?? found?.groups?.["brackets"];
    return found && tex !== undefined
      ? { type: "maths", raw: found[0], tex: tex.trim(), isBlock }
      : undefined;
  };

const startOf =
  (pattern: RegExp): TokenizerStartFunction =>
  (source) => {
    const at = source.search(pattern);
    return at === -1 ? undefined : at;
  };

/** Formulas as the lexer finds them: between dollars, or between `\(` and `\)`, `\[` and `\]`. */
export const mathsTokens = {
  renderers: {},
  childTokens: {},
  inline: [tokenOf(INLINE, false)],
  block: [tokenOf(BLOCK, true)],
  startInline: [startOf(/\$|\\\(/u)],
  startBlock: [startOf(/\$\$|\\\[/u)],
};
