package millrace.interop;

import io.aeron.Aeron;
import io.aeron.Publication;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

/**
 * Goes on behind a publisher that died: `directory channel streamIds firstNumber count length`. Prints `added`; at the
 * line `publish` it publishes `count` messages on each stream and prints `published`. It holds the streams open until its
 * input ends.
 */
public final class Survivor
{
    public static void main(final String[] args) throws Exception
    {
        final long firstNumber = Long.parseLong(args[3]);
        final long count = Long.parseLong(args[4]);
        final int[] lengths = Messages.lengths(args[5]);
        final BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        final List<Publication> publications = new ArrayList<>();

        try (Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(args[0])))
        {
            for (final int streamId : Messages.lengths(args[2]))
            {
                publications.add(aeron.addPublication(args[1], streamId));
            }
            System.out.println("added");
            input.readLine();
            for (final Publication publication : publications)
            {
                for (long number = firstNumber; number < firstNumber + count; number++)
                {
                    publish(publication, number, lengths);
                }
            }
            System.out.println("published");
            input.readLine();
        }
    }

    private static void publish(final Publication publication, final long number, final int[] lengths)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[1024]);
        final SleepingMillisIdleStrategy idle = new SleepingMillisIdleStrategy(1);
        final int length = Messages.write(buffer, 0, number, lengths);
        long position;
        while ((position = publication.offer(buffer, 0, length)) < 0)
        {
            if (Publication.CLOSED == position || Publication.MAX_POSITION_EXCEEDED == position)
            {
                throw new IllegalStateException("offer answered " + position);
            }
            idle.idle();
        }
    }
}
