import { signal } from "@preact/signals";

/** The dialog that a shortcut or a button of the shell has opened. */
export const openDialog = signal<"go-to" | "shortcuts" | undefined>(undefined);
