/**
 * xterm makes style elements, and writes colours into attributes. The policy of the page admits only style elements that
 * carry its nonce, and no style attribute made from text.
 */

/** Runs `open`, which makes style elements, and gives these the page's nonce. */
export function withNonce(open: () => void): void {
  const nonce = document.querySelector<HTMLElement>('meta[name="style-nonce"]')?.nonce ?? "";
  const createElement = (name: string) => {
    const element = Document.prototype.createElement.call(document, name);
    if (name === "style") element.nonce = nonce;
    return element;
  };
  Object.defineProperty(document, "createElement", { value: createElement, configurable: true });
  try {
    open();
  } finally {
    Reflect.deleteProperty(document, "createElement");
  }
}

/** Lets scripts set the style of spans by `setAttribute`, as they may by `style`; xterm colours its text so. */
export function admitSpanStyles(): void {
  Object.defineProperty(HTMLSpanElement.prototype, "setAttribute", {
    configurable: true,
    value(this: HTMLSpanElement, name: string, value: string) {
      if (name === "style") this.style.cssText = value;
      else Element.prototype.setAttribute.call(this, name, value);
    },
  });
}
