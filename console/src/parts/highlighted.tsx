import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type * as Highlighter from "../highlight/highlighter.ts";

/** Longer texts stay plain: finding their parts takes time that the page needs. */
const MAX_TEXT = 30_000;

/** Loaded with the first text in a language. */
const highlighter = signal<typeof Highlighter | undefined>(undefined);
let isAsked = false;

async function load(): Promise<void> {
  if (isAsked) return;
  isAsked = true;
  try {
    highlighter.value = await import("../highlight/highlighter.ts");
  } catch {
    // Code without colours is readable; the next text tries again.
    isAsked = false;
  }
}

/** A text of a program in the colours of its language; plain until they are known, and where none is named. */
export function Highlighted({ text, language }: { text: string; language: string | undefined }) {
  const isWanted = language !== undefined && language !== "" && text.length <= MAX_TEXT;
  useEffect(() => {
    if (isWanted) void load();
  }, [isWanted]);
  const known = highlighter.value;
  const pieces = useMemo(
    () => (isWanted ? known?.piecesOf(text, language) : undefined),
    [isWanted, known, text, language],
  );
  return <>{pieces ? pieces.map(elementOf) : text}</>;
}

function elementOf(piece: Highlighter.Piece, index: number): ComponentChildren {
  if (typeof piece === "string") return piece;
  return (
    <span key={index} class={`code-${piece.scope.split(".")[0]}`}>
      {piece.children.map(elementOf)}
    </span>
  );
}
