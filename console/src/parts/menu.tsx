import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { Icon, type LucideIcon } from "./icon.tsx";

/** Pixels between a menu, its button and the edges of the window. */
const GAP = 4;

interface MenuProps {
  /** What the button is called, where its face does not say it. */
  label: string;
  face: ComponentChildren;
  class?: string;
  /** The entries: `MenuButton`, `MenuLink` and `hr`. */
  children: ComponentChildren;
}

/** A button that opens a list of actions. Arrows move in it; Escape, Tab and a click elsewhere close it. */
export function Menu({ label, face, class: look = "quiet icon-button", children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  return (
    <>
      <button
        ref={button}
        type="button"
        class={look}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {face}
      </button>
      {isOpen && (
        <MenuList
          id={id}
          label={label}
          at={() => button.current}
          close={(isLeft) => {
            setOpen(false);
            if (!isLeft) button.current?.focus();
          }}
        >
          {children}
        </MenuList>
      )}
    </>
  );
}

function MenuList({
  id,
  label,
  at,
  close,
  children,
}: {
  id: string;
  label: string;
  at: () => HTMLElement | null;
  /** Gives the focus back, unless the person has left for elsewhere. */
  close: (isLeft: boolean) => void;
  children: ComponentChildren;
}) {
  const list = useRef<HTMLDivElement>(null);
  const entries = () => [...(list.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
  useLayoutEffect(() => {
    if (list.current) place(list.current, at());
    entries()[0]?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    const pressed = ({ target }: PointerEvent) => {
      if (!(target instanceof Node)) return;
      if (!list.current?.contains(target) && !at()?.contains(target)) close(true);
    };
    const moved = () => close(true);
    document.addEventListener("pointerdown", pressed);
    addEventListener("resize", moved);
    // What is read when it is opened makes it larger.
    const grown = new ResizeObserver(() => list.current && place(list.current, at()));
    if (list.current) grown.observe(list.current);
    return () => {
      grown.disconnect();
      document.removeEventListener("pointerdown", pressed);
      removeEventListener("resize", moved);
    };
  }, []);
  const keyed = (event: KeyboardEvent) => {
    const all = entries();
    const now = all.findIndex((each) => each === document.activeElement);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: (now + 1) % all.length,
      ArrowUp: (now - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    };
    const next = steps[event.key];
    if (next !== undefined) all[next]?.focus();
    else if (event.key === "Escape" || event.key === "Tab") close(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={list}
      id={id}
      class="menu-list"
      role="menu"
      aria-label={label}
      onKeyDown={keyed}
      // A list that scrolls has to be within reach of the keyboard: by the entry that has the focus.
      onFocusIn={({ target }) => {
        for (const each of entries()) each.tabIndex = each === target ? 0 : -1;
      }}
      // What is chosen may lead elsewhere, or open a dialog that takes the focus: it is given back before.
      onClickCapture={() => close(false)}
    >
      {children}
    </div>
  );
}

/** Below the button or above it, inside the window. */
function place(list: HTMLElement, button: HTMLElement | null): void {
  if (!button) return;
  const from = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = list;
  const below = from.bottom + GAP;
  const top = below + height > innerHeight - GAP ? Math.max(GAP, from.top - GAP - height) : below;
  const left = from.left + width > innerWidth - GAP ? from.right - width : from.left;
  list.style.top = `${top}px`;
  list.style.left = `${Math.max(GAP, left)}px`;
}

interface EntryProps {
  icon?: LucideIcon;
  children: ComponentChildren;
}

/** An entry that does something. */
export function MenuButton({
  icon,
  isDanger = false,
  onPicked,
  children,
}: EntryProps & { isDanger?: boolean; onPicked: () => void }) {
  return (
    <button type="button" role="menuitem" tabIndex={-1} class={isDanger ? "danger" : ""} onClick={onPicked}>
      {icon && <Icon of={icon} />}
      {children}
    </button>
  );
}

/** An entry that is one of several choices. */
export function MenuChoice({
  icon,
  isChosen,
  mark,
  about,
  onPicked,
  children,
}: EntryProps & {
  isChosen: boolean;
  mark: LucideIcon;
  /** What it means, in a sentence below its name. */
  about?: string;
  onPicked: () => void;
}) {
  return (
    <button type="button" role="menuitemradio" aria-checked={isChosen} tabIndex={-1} onClick={onPicked}>
      {icon && <Icon of={icon} />}
      <span class="choice" dir="auto">
        {children}
        {about !== undefined && <span class="muted small">{about}</span>}
      </span>
      <span class="check-mark">{isChosen && <Icon of={mark} />}</span>
    </button>
  );
}

/** Words between the entries, such as why there are none. */
export function MenuNote({ children }: { children: ComponentChildren }) {
  return (
    <p class="muted small" role="presentation">
      {children}
    </p>
  );
}

/** An entry that leads to a page of the console. */
export function MenuLink({ icon, href, children }: EntryProps & { href: string }) {
  return (
    <Link href={href} role="menuitem" tabIndex={-1}>
      {icon && <Icon of={icon} />}
      {children}
    </Link>
  );
}
