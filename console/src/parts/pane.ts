import { computed, signal } from "@preact/signals";
import { useContext } from "preact/hooks";
import { createContext } from "preact";
import { useLocation } from "wouter-preact";

/** What can stand beside a chat. */
export type PaneTab = "files" | "changes" | "preview" | "terminal";

/** Below it a window has no room for two things side by side. */
const wide = matchMedia("(width >= 1100px)");
const isWide = signal(wide.matches);
wide.addEventListener("change", ({ matches }) => (isWide.value = matches));

const OPEN = "pane.open";
const WIDTH = "pane.width";
const isOpen = signal(localStorage.getItem(OPEN) === "yes");

/** Whether the pane is shown now. */
export const isPaneShown = computed(() => isWide.value && isOpen.value);
/** Whether there is room for it. */
export const hasPaneRoom = computed(() => isWide.value);

export function openPane(opens: boolean): void {
  isOpen.value = opens;
  localStorage.setItem(OPEN, opens ? "yes" : "no");
}

export const MIN_WIDTH = 320;
const FIRST_WIDTH = 560;
const stored = Number(localStorage.getItem(WIDTH));

/** Pixels that the pane has; where the window is too narrow for them, it has less. */
export const paneWidth = signal(stored >= MIN_WIDTH ? stored : FIRST_WIDTH);

export function setPaneWidth(pixels: number): void {
  paneWidth.value = Math.round(Math.max(MIN_WIDTH, pixels));
  localStorage.setItem(WIDTH, String(paneWidth.value));
}

/** Where the pane of each project is: an address below that of the console. */
const places = signal<ReadonlyMap<string, string>>(new Map());

export const placeOf = (project: string): string => places.value.get(project) ?? `/projects/${project}/files`;

export function goInPane(project: string, address: string): void {
  places.value = new Map([...places.value, [project, address]]);
}

/** Whether an address is one of the pages that the pane shows. */
export function isOfPane(project: string, address: string): boolean {
  const below = `/projects/${project}/`;
  return (
    address.startsWith(below) &&
    /^(?:files|changes|preview|terminal)(?:[/?#]|$)/u.test(address.slice(below.length))
  );
}

/** Shows a page of the project beside the chat, or where there is no room, in place of it. */
export function useShowBeside(project: string): (address: string) => void {
  const [, navigate] = useLocation();
  return (address) => {
    if (!isWide.value) return navigate(address);
    goInPane(project, address);
    openPane(true);
  };
}

/** Where a part of the page is, with its fragment and not decoded: in the pane that is not the address of the page. */
export const RawLocation = createContext(() => location.pathname + location.hash);
export const useRawLocation = (): string => useContext(RawLocation)();
