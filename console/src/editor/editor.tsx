import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from "@codemirror/language";
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search";
import {
  Annotation,
  Compartment,
  EditorSelection,
  EditorState,
  Text,
  type Extension,
} from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import { languageOf } from "./language-of.ts";
import { look } from "./look.ts";
import { replacement } from "./replacement.ts";

/** What an editor keeps of a file while another one is shown: its text, selection and history. */
export interface EditorMemory {
  state?: EditorState;
}

/** Where to go in a text, from 1 on. */
export interface Place {
  line: number;
  column: number;
}

export interface EditorProps {
  /** Names the text to readers, and its language. */
  path: string;
  /** The text that the editor shows; later ones are taken over when `revision` changes. */
  text: string;
  revision: number;
  isReadOnly: boolean;
  memory: EditorMemory;
  /** Where the caret goes, when this changes. */
  place?: Place | undefined;
  onText: (text: string) => void;
  onSave: () => void;
}

/** A change that did not come from the keyboard. */
const outside = Annotation.define<boolean>();
/** What is known later than the text: whether the person may change it, and its language. */
const permission = new Compartment();
const language = new Compartment();

/** How long after Escape a Tab leads on, unless another key comes first. CodeMirror's own two seconds are too few for many. */
const LEAVING_MS = 20_000;

/** A text that a person edits. Tab indents; after Escape it leads on. */
export function Editor(props: EditorProps) {
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>();
  // The handlers of the editor are made once, and call what the page has now.
  const now = useRef(props);
  now.current = props;

  useEffect(() => {
    if (!parent.current) return undefined;
    const { memory, path } = now.current;
    const made = new EditorView({
      parent: parent.current,
      state: memory.state ?? newState(now),
    });
    view.current = made;
    take(made, now.current.text);
    // A person who opens a file writes in it next. The shell moves the focus to the page first, so the editor waits a frame.
    // Its code and the text may come late: who writes elsewhere by then goes on there.
    const focusing = requestAnimationFrame(() => {
      if (document.activeElement?.contains(made.dom) ?? true) made.focus();
    });
    let isGone = false;
    const colour = async () => {
      const found = await languageOf(path);
      if (!isGone) made.dispatch({ effects: language.reconfigure(found) });
    };
    void colour();
    return () => {
      isGone = true;
      cancelAnimationFrame(focusing);
      memory.state = made.state;
      made.destroy();
    };
  }, []);

  useEffect(() => {
    if (view.current) take(view.current, now.current.text);
  }, [props.revision]);

  useEffect(() => {
    view.current?.dispatch({ effects: permission.reconfigure(EditorState.readOnly.of(props.isReadOnly)) });
  }, [props.isReadOnly]);

  useEffect(() => {
    if (view.current && props.place) goTo(view.current, props.place);
  }, [props.place]);

  return (
    <>
      <div class="editor" ref={parent} />
      <p class="muted small editor-keys">
        <button type="button" onClick={() => view.current && openSearchPanel(view.current)}>
          Find
        </button>{" "}
        <span>Tab indents. Press Esc and then Tab to leave the editor.</span>
      </p>
    </>
  );
}

function newState(now: { readonly current: EditorProps }): EditorState {
  const { text, path } = now.current;
  return EditorState.create({
    doc: text,
    extensions: [
      EditorState.lineSeparator.of(separatorOf(text)),
      permission.of([]),
      basics(),
      language.of([]),
      look,
      EditorView.contentAttributes.of({ "aria-label": path }),
      keymap.of([{ key: "Mod-s", preventDefault: true, run: () => (now.current.onSave(), true) }]),
      EditorView.updateListener.of(({ docChanged, transactions, state }) => {
        const isTyped = transactions.some((each) => each.docChanged && each.annotation(outside) !== true);
        if (docChanged && isTyped) now.current.onText(state.sliceDoc());
      }),
    ],
  });
}

function basics(): Extension {
  return [
    lineNumbers(),
    foldGutter(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    rectangularSelection(),
    indentOnInput(),
    bracketMatching(),
    search({ top: true }),
    highlightSelectionMatches(),
    keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, indentWithTab]),
    // After all others, which close a panel by it.
    keymap.of([{ key: "Escape", run: (view) => (view.setTabFocusMode(LEAVING_MS), true) }]),
  ];
}

/** A text with Windows' line ends throughout keeps them; in others every character stays as it is. */
function separatorOf(text: string): string {
  return text.includes("\r\n") && !/(^|[^\r])\n|\r(?!\n)/u.test(text) ? "\r\n" : "\n";
}

function take(view: EditorView, text: string): void {
  const changes = replacement(view.state.doc, Text.of(text.split(view.state.lineBreak)));
  if (changes) view.dispatch({ changes, annotations: outside.of(true) });
}

function goTo(view: EditorView, { line, column }: Place): void {
  const { doc } = view.state;
  const { from, to } = doc.line(Math.min(Math.max(1, line), doc.lines));
  const at = Math.min(from + column - 1, to);
  view.dispatch({
    selection: EditorSelection.cursor(at),
    effects: EditorView.scrollIntoView(at, { y: "center" }),
  });
}
