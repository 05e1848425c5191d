import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { useCredits, useMe } from "../service/reads.ts";
import { keepFocus } from "./kept-focus.ts";
import { Shortcuts } from "./shortcuts.tsx";
import { Sidebar } from "./sidebar.tsx";
import { TeamSwitch } from "./team-switch.tsx";

/** What stands around every page: where one can go, and whose account it is. */
export function Shell({ children }: { children: ComponentChildren }) {
  const [location] = useLocation();
  const page = useRef<HTMLElement>(null);
  const menu = useRef<HTMLDetailsElement>(null);
  const isFirst = useRef(true);
  useEffect(keepFocus, []);
  // A new page has the focus, so that a screen reader begins to read there: at once, as the person may soon be further.
  useLayoutEffect(() => {
    if (menu.current) menu.current.open = false;
    if (!isFirst.current) page.current?.focus();
    isFirst.current = false;
  }, [location]);
  return (
    <div class="shell">
      <a class="skip" href="#page">
        To the page
      </a>
      <header>
        <details class="menu" ref={menu}>
          <summary>Menu</summary>
          <Sidebar />
        </details>
        <Link class="brand" href="/">
          Agent Workspace
        </Link>
        <span class="spring" />
        <TeamSwitch />
        <Shortcuts />
        <Account />
      </header>
      <aside>
        <Sidebar />
      </aside>
      <main id="page" ref={page} tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function Account() {
  const { data: me } = useMe();
  const { data: credits } = useCredits();
  return (
    <>
      {credits && <span class="muted small">{credits.total_credits} credits</span>}
      {me && <Link href="/account">{me.username}</Link>}
    </>
  );
}
