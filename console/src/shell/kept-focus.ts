/**
 * Keeps the focus in the page, so that a keyboard goes on where it was. A browser drops the focus when the button that has it is
 * disabled while its work goes on, and when what has it leaves the page. Then what it was in takes it, until the button is
 * enabled again. Returns what ends it.
 */
export function keepFocus(): () => void {
  /** What had the focus last, and what it was in, from inside to outside. */
  let places: HTMLElement[] = [];
  /** A disabled button, and what has the focus in its place. */
  let absent: { button: HTMLElement; standIn: HTMLElement } | undefined;
  const took = ({ target }: FocusEvent) => {
    places = [];
    for (let at = target; at instanceof HTMLElement; at = at.parentElement) places.push(at);
  };
  // The person took the focus away, with a click beside everything.
  const left = () => {
    places = [];
  };
  // So does Tab where it leads out of the page; elsewhere something takes it.
  const pressed = ({ key, defaultPrevented }: KeyboardEvent) => {
    if (key === "Tab" && !defaultPrevented) places = [];
  };
  const looked = new MutationObserver(() => {
    const { activeElement, body } = document;
    if (absent && activeElement === absent.standIn && canHaveFocus(absent.button)) {
      absent.button.focus({ preventScroll: true });
      absent = undefined;
      return;
    }
    const [last] = places;
    const isDropped = activeElement === body || (activeElement === last && last?.matches(":disabled"));
    if (!last || !isDropped) return;
    const place = places.find(canHaveFocus);
    if (!place) return;
    // What can have no focus of its own takes it from here alone.
    if (place.tabIndex < 0) place.tabIndex = -1;
    place.focus({ preventScroll: true });
    absent = place === last ? undefined : { button: last, standIn: place };
  });
  document.addEventListener("focusin", took);
  document.addEventListener("pointerdown", left);
  document.addEventListener("keydown", pressed);
  looked.observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ["disabled", "hidden", "open"],
  });
  return () => {
    document.removeEventListener("focusin", took);
    document.removeEventListener("pointerdown", left);
    document.removeEventListener("keydown", pressed);
    looked.disconnect();
  };
}

function canHaveFocus(element: HTMLElement): boolean {
  const isThere = element !== document.body && element.isConnected && element.checkVisibility();
  return isThere && !element.matches(":disabled");
}
