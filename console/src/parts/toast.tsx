import { signal } from "@preact/signals";
import { X } from "lucide-preact";
import { Icon } from "./icon.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isBad: boolean;
}

const SHOWN_MS = 6_000;

const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

const close = (id: number) => {
  toasts.value = toasts.value.filter((each) => each.id !== id);
};

/** Says something at the edge of the page, for what has no place of its own. A refusal stays until it is closed. */
export function toast(text: string, { isBad = false }: { isBad?: boolean } = {}): void {
  lastId += 1;
  const id = lastId;
  toasts.value = [...toasts.value, { id, text, isBad }];
  if (!isBad) setTimeout(() => close(id), SHOWN_MS);
}

/** Where toasts appear; once in the page, so that a screen reader knows it before the first. */
export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, isBad }) => (
        <div key={id} class={isBad ? "toast bad" : "toast"}>
          <span>{text}</span>
          <button type="button" class="quiet icon-button" aria-label="Close" onClick={() => close(id)}>
            <Icon of={X} />
          </button>
        </div>
      ))}
    </div>
  );
}
