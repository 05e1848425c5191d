import { useEffect, useRef } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";

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
