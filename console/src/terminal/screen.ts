import { FitAddon } from "@xterm/addon-fit";
import { Terminal as Xterm } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { admitSpanStyles, withNonce } from "./policy.ts";
import { onDarkness } from "../service/theme.ts";
import { themeAt } from "./theme.ts";

/** What a screen needs of a shell. */
interface Keyboard {
  type(data: string): void;
  resize(columns: number, rows: number): void;
  /** Shift+Tab: the focus leaves for what stands before the screen. */
  leave(): void;
}

/** A terminal's screen inside an element. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Resolves when it is shown, so that fast output waits. */
  show(data: string): Promise<void>;
  clear(): void;
  focus(): void;
  readAloud(isOn: boolean): void;
  /** Types a named key as the program of the shell expects it. */
  press(key: Key): void;
  close(): void;
}

export const KEYS = ["Esc", "Tab", "Ctrl-C", "Ctrl-D", "←", "↑", "↓", "→"] as const;
export type Key = (typeof KEYS)[number];

const TYPED: Readonly<Partial<Record<Key, string>>> = {
  Esc: "\u001B",
  Tab: "\t",
  "Ctrl-C": "\u0003",
  "Ctrl-D": "\u0004",
};
const ARROWS: Readonly<Partial<Record<Key, string>>> = { "←": "D", "↑": "A", "↓": "B", "→": "C" };

/**
 * Opens what a program calls a link, after the person has seen where it leads: the words on the screen may say something
 * else. Without user names, and with all characters of other scripts escaped, the address hides nothing.
 */
function openLink(address: string): void {
  if (!URL.canParse(address)) return;
  const url = new URL(address);
  [url.username, url.password] = ["", ""];
  if (!/^https?:$/u.test(url.protocol) || !confirm(`A program in the terminal opens ${url.href}`)) return;
  window.open(url.href, "_blank", "noopener,noreferrer");
}

/**
 * Opens a screen. Of a resumed session, old output comes again, and with it questions of programs to their terminal: they
 * were answered before, so nothing is typed until the person does something.
 */
export function openScreen(host: HTMLElement, keyboard: Keyboard, isResumed: boolean): Screen {
  admitSpanStyles();
  const xterm = new Xterm({
    fontFamily: getComputedStyle(host).fontFamily,
    fontSize: 14,
    linkHandler: { activate: (_, address) => openLink(address) },
    minimumContrastRatio: 4.5,
    scrollback: 5_000,
    theme: themeAt(host),
  });
  const fit = new FitAddon();
  xterm.loadAddon(fit);
  withNonce(() => xterm.open(host));
  fit.fit();

  const ending = new AbortController();
  const { signal } = ending;
  let isTouched = !isResumed;
  const touch = () => {
    isTouched = true;
  };
  for (const event of ["keydown", "beforeinput", "paste", "pointerdown"]) {
    host.addEventListener(event, touch, { signal, capture: true });
  }
  xterm.attachCustomKeyEventHandler((event) => {
    if (event.key !== "Tab" || !event.shiftKey) return true;
    if (event.type === "keydown") {
      event.preventDefault();
      keyboard.leave();
    }
    return false;
  });
  xterm.onData((data) => {
    if (isTouched) keyboard.type(data);
  });
  xterm.onResize(({ cols, rows }) => keyboard.resize(cols, rows));
  const endTheme = onDarkness(() => {
    xterm.options.theme = themeAt(host);
  });
  const sizes = new ResizeObserver(() => {
    // A hidden screen keeps its size.
    if (host.offsetWidth > 0) fit.fit();
  });
  sizes.observe(host);

  return {
    columns: xterm.cols,
    rows: xterm.rows,
    show: (data) => new Promise((resolve) => xterm.write(data, resolve)),
    clear: () => xterm.reset(),
    focus: () => xterm.focus(),
    readAloud: (isOn) => {
      xterm.options.screenReaderMode = isOn;
    },
    press(key) {
      touch();
      const arrow = xterm.modes.applicationCursorKeysMode ? "\u001BO" : "\u001B[";
      keyboard.type(TYPED[key] ?? `${arrow}${ARROWS[key] ?? ""}`);
      xterm.focus();
    },
    close() {
      ending.abort();
      endTheme();
      sizes.disconnect();
      xterm.dispose();
    },
  };
}
