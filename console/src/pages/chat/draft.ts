/** A message that is not sent yet, kept in the browser tab. */
export interface Draft {
  read(): string;
  write(text: string): void;
  clear(): void;
}

export function draftOf(chatId: string): Draft {
  const name = `draft.${chatId}`;
  return {
    read: () => sessionStorage.getItem(name) ?? "",
    write: (text) => sessionStorage.setItem(name, text),
    clear: () => sessionStorage.removeItem(name),
  };
}
