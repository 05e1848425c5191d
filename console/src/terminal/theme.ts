import type { ITheme } from "@xterm/xterm";
import { isDark } from "../service/theme.ts";

/** Colours that stand on a light ground; xterm's own stand on a dark one. */
const LIGHT: ITheme = {
  black: "#1b1f27",
  red: "#a4262c",
  green: "#19662f",
  yellow: "#7a5600",
  blue: "#2f5bd8",
  magenta: "#7a3e9d",
  cyan: "#0b6374",
  white: "#5a6272",
  brightBlack: "#5a6272",
  brightRed: "#c0343b",
  brightGreen: "#1d7a38",
  brightYellow: "#8a6200",
  brightBlue: "#4169e1",
  brightMagenta: "#8e4bb5",
  brightCyan: "#0d7488",
  brightWhite: "#1b1f27",
};

/** The colours of the page at `host`. */
export function themeAt(host: Element): ITheme {
  const { color, backgroundColor } = getComputedStyle(host);
  const own = {
    foreground: color,
    background: backgroundColor,
    cursor: color,
    cursorAccent: backgroundColor,
  };
  const selectionBackground = isDark() ? "#3d5a99" : "#b9ccff";
  return { ...(isDark() ? {} : LIGHT), ...own, selectionBackground };
}
