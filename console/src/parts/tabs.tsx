import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { partName } from "../service/tab-title.ts";

/** Links to the pages of one area; `current` is the path of the one that is open, where the address says more than that. */
export function Tabs({
  label,
  tabs,
  current,
}: {
  label: string;
  tabs: readonly { path: string; name: string }[];
  current?: string | undefined;
}) {
  const [location] = useLocation();
  const open = current ?? location;
  const strip = useRef<HTMLElement>(null);
  // A phone shows a part of the strip: the open page is in it.
  useEffect(() => {
    strip.current?.querySelector(".here")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [open]);
  // Where the address says more, the page has a name of its own.
  const part = current === undefined ? tabs.slice(1).find(({ path }) => path === open)?.name : undefined;
  useLayoutEffect(() => {
    partName.value = part ?? "";
    return () => (partName.value = "");
  }, [part]);
  return (
    <nav class="tabs" aria-label={label} ref={strip}>
      {tabs.map(({ path, name }) => (
        <Link
          key={path}
          href={path}
          {...(path === open && { class: "here", "aria-current": "page" as const })}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
