import type { LanguageFn } from "highlight.js";
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const LANGUAGES: Readonly<Record<string, LanguageFn>> = {
  bash,
  css,
  diff,
  go,
  ini,
  java,
  javascript,
  json,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

/** A part of a text: as it is, or with its role in the language. */
export type Piece = string | { readonly scope: string; readonly children: readonly Piece[] };

/** The parts of a text in a language; undefined for a language that is not known. */
export function piecesOf(text: string, language: string): readonly Piece[] | undefined {
  if (!hljs.getLanguage(language)) return undefined;
  const { _emitter: emitter } = hljs.highlight(text, { language, ignoreIllegals: true });
  // Its public result is HTML, which the page's policy forbids to insert. The tree behind it is private: hence the check.
  const root: unknown = Reflect.get(emitter, "rootNode");
  const pieces = childrenOf(root).flatMap(pieceOf);
  return pieces.map(textOf).join("") === text ? pieces : undefined;
}

function childrenOf(node: unknown): readonly unknown[] {
  const children: unknown = typeof node === "object" && node !== null && Reflect.get(node, "children");
  return Array.isArray(children) ? children : [];
}

function pieceOf(node: unknown): Piece[] {
  if (typeof node === "string") return [node];
  const scope: unknown = typeof node === "object" && node !== null && Reflect.get(node, "scope");
  const children = childrenOf(node).flatMap(pieceOf);
  return typeof scope === "string" ? [{ scope, children }] : children;
}

function textOf(piece: Piece): string {
  return typeof piece === "string" ? piece : piece.children.map(textOf).join("");
}
