import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** Pixels from the end within which a view counts as being there. */
const NEAR_END = 40;

/**
 * A box that follows its end only while the end is in view. Otherwise it says how much came since: `count` is the number of
 * things shown.
 */
export function Scrolled({
  count,
  said,
  children,
}: {
  count: number;
  /** How often the person has said something: each time, the end is shown. */
  said: number;
  children: ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  /** How many things there were when the person left the end; undefined while it is in view. */
  const [leftAt, setLeftAt] = useState<number>();
  // What happens between two renderings has to know at once whether the view is at its end.
  const state = useRef({ count, isAtEnd: true, top: 0 });
  state.current.count = count;
  const leave = (isAtEnd: boolean) => {
    state.current.isAtEnd = isAtEnd;
    setLeftAt(isAtEnd ? undefined : state.current.count);
  };
  const toEnd = () => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  useEffect(() => {
    const { current } = box;
    if (!current || !content.current) return undefined;
    const look = () => {
      const { scrollTop: top, scrollHeight, clientHeight } = current;
      const isUp = top < state.current.top;
      state.current.top = top;
      const isAtEnd = scrollHeight - top - clientHeight < NEAR_END;
      // The event comes late: the end may be out of view because something came since, and not because the person left it.
      if (isAtEnd !== state.current.isAtEnd && (isAtEnd || isUp)) leave(isAtEnd);
    };
    // What is shown grows when something comes, and when a part that was out of view is rendered.
    const grown = new ResizeObserver(() => {
      if (state.current.isAtEnd) toEnd();
    });
    grown.observe(content.current);
    grown.observe(current);
    current.addEventListener("scroll", look, { passive: true });
    return () => {
      grown.disconnect();
      current.removeEventListener("scroll", look);
    };
  }, []);
  useEffect(() => {
    leave(true);
    toEnd();
  }, [said]);
  const fresh = leftAt === undefined ? 0 : Math.max(0, count - leftAt);
  return (
    <div class="scroll" ref={box} tabIndex={0} role="log" aria-live="off" aria-label="Conversation">
      <div ref={content}>{children}</div>
      {leftAt !== undefined && (
        <button
          type="button"
          class="more"
          onClick={() => {
            leave(true);
            toEnd();
          }}
        >
          {fresh > 0 ? `${fresh} new` : "Jump to latest"}
        </button>
      )}
    </div>
  );
}
