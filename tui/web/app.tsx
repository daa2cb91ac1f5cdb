export function App() {
  return <p>gsv</p>;
}
