/** Whether keys are text there: fields, editors and terminals. */
export function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest("input, textarea, select, .terminal, .xterm") !== null)
  );
}
