/** The keys of a view, as its last row. */
export function Keys({ keys }: { readonly keys: readonly (readonly [key: string, word: string])[] }) {
  return (
    <footer className="keys">
      {keys.map(([key, word]) => (
        <span key={key}>
          <kbd>{key}</kbd> {word}
        </span>
      ))}
    </footer>
  );
}
