import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { lazily } from "../lazily.tsx";
import { isPaneShown, MIN_WIDTH, paneWidth, setPaneWidth } from "../parts/pane.ts";
import "./workbench.css";

/** Loaded when it is first shown. */
const Pane = lazily<{ project: string }>(async () => (await import("./pane.tsx")).Pane, Meanwhile);

/** Pixels that a key moves the divider. */
const STEP = 24;

/** A chat, and beside it, where there is room, one pane for the project's other pages. */
export function Workbench({ project, children }: { project: string; children: ComponentChildren }) {
  return (
    <div class="workbench filling">
      {children}
      {isPaneShown.value && (
        <>
          <Divider />
          <Pane project={project} />
        </>
      )}
    </div>
  );
}

/** The line between the chat and the pane, which a pointer or the arrow keys move. */
function Divider() {
  const line = useRef<HTMLDivElement>(null);
  const moved = ({ clientX, pointerId }: PointerEvent) => {
    if (!line.current?.hasPointerCapture(pointerId)) return;
    setPaneWidth((line.current.parentElement?.getBoundingClientRect().right ?? 0) - clientX);
  };
  return (
    <div
      ref={line}
      class="divider"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the pane"
      aria-valuenow={paneWidth.value}
      aria-valuemin={MIN_WIDTH}
      tabIndex={0}
      onPointerDown={({ pointerId, currentTarget }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={moved}
      onKeyDown={({ key }) => {
        if (key === "ArrowLeft") setPaneWidth(paneWidth.value + STEP);
        if (key === "ArrowRight") setPaneWidth(paneWidth.value - STEP);
      }}
    />
  );
}

/** Its place, so that nothing moves when it is there. */
function Meanwhile() {
  return <aside class="pane" aria-label="Workbench" style={{ width: `${paneWidth.value}px` }} />;
}
