import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** The page's policy admits style elements with this word alone, which each answer has anew. */
const nonce = document.querySelector<HTMLElement>('meta[name="style-nonce"]')?.nonce ?? "";

/** The colours of the console, in light and dark, by its own variables. */
const theme = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--card)", color: "var(--text)", fontSize: "0.875rem" },
  // The page draws it around the whole, as the gutter would cover it.
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": {
    backgroundColor: "var(--page)",
    color: "var(--muted)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--accent) 30%, transparent)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "transparent",
    outline: "1px solid var(--edge)",
  },
  ".cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--accent) 20%, transparent)" },
  ".cm-searchMatch-selected": { backgroundColor: "color-mix(in srgb, var(--accent) 45%, transparent)" },
  ".cm-panels": { backgroundColor: "var(--page)", color: "var(--text)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panel.cm-search": { padding: "0.5rem 2rem 0.5rem 0.5rem", fontSize: "1rem" },
  ".cm-panel.cm-search label": { fontSize: "0.875rem" },
  ".cm-textfield, .cm-panel.cm-search input[type=checkbox]": { minHeight: "0" },
  ".cm-textfield": { border: "1px solid var(--edge)", backgroundColor: "var(--card)", fontSize: "0.875rem" },
  ".cm-button": {
    minHeight: "0",
    border: "1px solid var(--edge)",
    backgroundImage: "none",
    backgroundColor: "var(--card)",
    fontSize: "0.875rem",
  },
  ".cm-panel.cm-search [name=close]": { color: "var(--text)", minHeight: "0", padding: "0 0.5rem" },
  ".cm-changedLine, .cm-insertedLine": { backgroundColor: "var(--good-ground)" },
  ".cm-deletedChunk": { backgroundColor: "var(--bad-ground)" },
  ".cm-collapsedLines": { background: "var(--page)", color: "var(--text)" },
});

const highlighting = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.keyword, tags.tagName, tags.heading], color: "var(--accent)", fontWeight: "600" },
    { tag: [tags.string, tags.regexp, tags.inserted], color: "var(--good)" },
    { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.deleted, tags.invalid], color: "var(--bad)" },
    { tag: [tags.comment, tags.meta], color: "var(--muted)", fontStyle: "italic" },
    { tag: [tags.typeName, tags.className, tags.attributeName], color: "var(--accent)" },
    { tag: tags.link, textDecoration: "underline" },
    { tag: tags.emphasis, fontStyle: "italic" },
    { tag: tags.strong, fontWeight: "600" },
  ]),
);

/** How editors and comparisons look. */
export const look: Extension = [EditorView.cspNonce.of(nonce), theme, highlighting];
