import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

/** The account pages read it, too. */
const STORED = "theme";
const isTheme = (text: string | null): text is Theme => text === "light" || text === "dark";
const stored = localStorage.getItem(STORED);
const systemDarkness = matchMedia("(prefers-color-scheme: dark)");
const isSystemDark = signal(systemDarkness.matches);
systemDarkness.addEventListener("change", ({ matches }) => {
  isSystemDark.value = matches;
});

/** What the person chose in this browser. */
export const theme = signal<Theme>(isTheme(stored) ? stored : "system");

/** Whether the page is dark now. */
export const isDark = (): boolean => (theme.value === "system" ? isSystemDark.value : theme.value === "dark");

/** Calls `work` after each change between light and dark; returns what ends it. */
export function onDarkness(work: () => void): () => void {
  let before = isDark();
  return effect(() => {
    const now = isDark();
    if (now === before) return;
    before = now;
    work();
  });
}

/** Shows the theme, now and after each choice, and remembers it. */
export function showTheme(): void {
  effect(() => {
    if (theme.value === "system") {
      localStorage.removeItem(STORED);
      delete document.documentElement.dataset["theme"];
    } else {
      localStorage.setItem(STORED, theme.value);
      document.documentElement.dataset["theme"] = theme.value;
    }
  });
}
