import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * A dialog that is open for as long as it is rendered, over a page that waits for it. The function that closes it, and the
 * Escape key, give the focus back and call `onClosed` at once: the browser's own event of the closing comes later, and would
 * close what the next key has opened by then.
 */
export function Dialog({
  label,
  labelledBy,
  onClosed,
  children,
}: {
  label?: string;
  /** The id of its heading. */
  labelledBy?: string;
  /** Takes it out of the page. */
  onClosed: () => void;
  children: (close: () => void) => ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key, which belongs into it.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const close = () => {
    if (!dialog.current) return;
    dialog.current.close();
    onClosed();
  };
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      aria-labelledby={labelledBy}
      // A file field in it has a `cancel` event too.
      onCancel={({ target, currentTarget }) => target === currentTarget && close()}
      // Where the browser closed it without asking; otherwise it is no longer rendered.
      onClose={close}
    >
      {children(close)}
    </dialog>
  );
}
