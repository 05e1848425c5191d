import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Rows that are rendered above the view, and below it. */
const BEYOND = 20;

/** Which of `count` rows of one height are near the view: from the first to before the last. */
export function useRowsInView(list: RefObject<HTMLElement>, count: number): { from: number; to: number } {
  const [view, setView] = useState({ from: 0, to: 2 * BEYOND });
  useEffect(() => {
    const { current } = list;
    if (!current) return undefined;
    const look = () => {
      const { top, height } = current.getBoundingClientRect();
      // Without a height it is not shown.
      if (height === 0) return;
      const row = height / count;
      const from = Math.floor(-top / row) - BEYOND;
      const to = Math.ceil((innerHeight - top) / row) + BEYOND;
      setView((before) => (before.from === from && before.to === to ? before : { from, to }));
    };
    const sizes = new ResizeObserver(look);
    sizes.observe(current);
    // The list may be scrolled by any element that it is in.
    document.addEventListener("scroll", look, { capture: true, passive: true });
    addEventListener("resize", look);
    look();
    return () => {
      sizes.disconnect();
      document.removeEventListener("scroll", look, { capture: true });
      removeEventListener("resize", look);
    };
  }, [count]);
  return view;
}
