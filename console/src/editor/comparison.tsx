import { unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import { languageOf } from "./language-of.ts";
import { look } from "./look.ts";

interface ComparisonProps {
  path: string;
  /** What is marked as taken away. */
  before: string;
  /** What is marked as added. */
  after: string;
}

/** Two versions of a text in one view, only to be read. */
export function Comparison({ path, before, after }: ComparisonProps) {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let view: EditorView | undefined;
    let isGone = false;
    const show = async () => {
      const language = await languageOf(path);
      if (isGone || !parent.current) return;
      view = new EditorView({
        parent: parent.current,
        state: EditorState.create({
          doc: after,
          extensions: [
            EditorState.readOnly.of(true),
            EditorView.contentAttributes.of({ "aria-label": `Comparison of ${path}` }),
            lineNumbers(),
            language,
            look,
            unifiedMergeView({
              original: before,
              mergeControls: false,
              collapseUnchanged: { margin: 3, minSize: 6 },
            }),
          ],
        }),
      });
    };
    void show();
    return () => {
      isGone = true;
      view?.destroy();
    };
  }, [path, before, after]);
  return <div class="editor" ref={parent} />;
}
