package millrace.interop;

import io.aeron.Aeron;
import io.aeron.Counter;
import org.agrona.concurrent.status.CountersReader;

/** Adds a counter of its own, then prints every counter of the driver in `directory` as `id type value label`. */
public final class CountersProbe
{
    public static void main(final String[] args) throws Exception
    {
        try (Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(args[0]));
            Counter counter = aeron.addCounter(1007, "interop counter"))
        {
            counter.setRelease(42);
            final CountersReader reader = aeron.countersReader();
            reader.forEach((id, typeId, key, label) ->
                System.out.println(id + " " + typeId + " " + reader.getCounterValue(id) + " " + label));
        }
    }
}
