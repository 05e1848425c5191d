import { Menu as MenuIcon, Search } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { Icon } from "../parts/icon.tsx";
import { Toasts } from "../parts/toast.tsx";
import { BottomBar } from "./bottom-bar.tsx";
import { keepFocus } from "./kept-focus.ts";
import { openDialog } from "./open-dialog.ts";
import { Shortcuts } from "./shortcuts.tsx";
import { Sidebar } from "./sidebar.tsx";

/** What stands around every page: where one can go, and whose account it is. On a phone the sidebar is a drawer. */
export function Shell({ children }: { children: ComponentChildren }) {
  const [location] = useLocation();
  const page = useRef<HTMLElement>(null);
  const sidebar = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const [isOpen, setOpen] = useState(false);
  useEffect(keepFocus, []);
  // A new page has the focus, so that a screen reader begins to read there: at once, as the person may soon be further.
  useLayoutEffect(() => {
    setOpen(false);
    if (!isFirst.current) page.current?.focus();
    isFirst.current = false;
  }, [location]);
  useEffect(() => {
    if (isOpen) sidebar.current?.querySelector<HTMLElement>("a, button")?.focus();
  }, [isOpen]);
  // Before the next key: an effect would take it only after the drawer is painted.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const pressed = ({ key }: KeyboardEvent) => key === "Escape" && setOpen(false);
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [isOpen]);
  return (
    <div class="shell">
      <a class="skip" href="#page">
        Skip to the page
      </a>
      <header class="topbar" inert={isOpen}>
        <button
          type="button"
          class="quiet icon-button"
          aria-label="Menu"
          aria-expanded={isOpen}
          onClick={() => setOpen(true)}
        >
          <Icon of={MenuIcon} />
        </button>
        <Link class="brand" href="/">
          Agent Workspace
        </Link>
        <button
          type="button"
          class="quiet icon-button"
          aria-label="Search or jump to…"
          onClick={() => (openDialog.value = "go-to")}
        >
          <Icon of={Search} />
        </button>
      </header>
      <aside class={isOpen ? "sidebar open" : "sidebar"} ref={sidebar}>
        <Sidebar />
      </aside>
      <button
        type="button"
        class={isOpen ? "scrim open" : "scrim"}
        aria-label="Close the menu"
        tabIndex={-1}
        onClick={() => setOpen(false)}
      />
      <main id="page" ref={page} tabIndex={-1} inert={isOpen}>
        {children}
      </main>
      <BottomBar isOpen={isOpen} open={() => setOpen(true)} />
      <Shortcuts />
      <Toasts />
    </div>
  );
}
