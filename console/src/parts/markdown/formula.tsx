import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Longer ones stay as they were written: to set them takes time that the page needs. */
const MAX_TEX = 2_000;

/** A formula, as it was written until what sets it is loaded, and where it is none. */
export function Formula({ tex, raw, isBlock }: { tex: string; raw: string; isBlock: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  const [isSet, setSet] = useState(false);
  useLayoutEffect(() => {
    setSet(false);
    if (tex.length > MAX_TEX) return undefined;
    let isLeft = false;
    const write = async () => {
      const { writeMaths } = await import("../../maths/maths.ts");
      if (isLeft || !place.current) return;
      writeMaths(place.current, tex, isBlock);
      setSet(true);
    };
    write().catch(() => {});
    return () => {
      isLeft = true;
    };
  }, [tex, isBlock]);
  return (
    <span class={isBlock ? "formula of-block" : "formula"} tabIndex={isBlock ? 0 : undefined}>
      {!isSet && <code>{raw}</code>}
      {/* Not of Preact: what is in it stays when this is rendered again. */}
      <span ref={place} hidden={!isSet} />
    </span>
  );
}
