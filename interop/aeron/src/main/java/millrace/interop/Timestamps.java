package millrace.interop;

import io.aeron.Aeron;
import io.aeron.Publication;
import io.aeron.Subscription;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;

/**
 * Messages in which drivers may put the time: `directory channel streamId count publish|subscribe`. Each has 1,000 bytes of
 * value 1, so that it has a datagram to itself, and the reserved value 5. A subscriber prints `subscribed`, then a line a
 * message: its reserved value, and the numbers of 64 bits at 0, 8 and 16 of its payload. A publisher prints `published`.
 */
public final class Timestamps
{
    private static final int LENGTH = 1000;
    private static final long RESERVED_VALUE = 5;

    private static int count;

    public static void main(final String[] args) throws Exception
    {
        count = Integer.parseInt(args[3]);
        try (Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(args[0])))
        {
            final int streamId = Integer.parseInt(args[2]);
            if ("publish".equals(args[4]))
            {
                publish(aeron, args[1], streamId);
            }
            else
            {
                subscribe(aeron, args[1], streamId);
            }
        }
    }

    private static void publish(final Aeron aeron, final String channel, final int streamId)
    {
        final YieldingIdleStrategy idle = new YieldingIdleStrategy();
        final UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
        message.setMemory(0, LENGTH, (byte)1);
        try (Publication publication = aeron.addPublication(channel, streamId))
        {
            while (count > 0)
            {
                if (publication.offer(message, 0, LENGTH, (buffer, offset, length) -> RESERVED_VALUE) > 0)
                {
                    count--;
                }
                else
                {
                    idle.idle();
                }
            }
            System.out.println("published");
        }
    }

    private static void subscribe(final Aeron aeron, final String channel, final int streamId)
    {
        final YieldingIdleStrategy idle = new YieldingIdleStrategy();
        try (Subscription subscription = aeron.addSubscription(channel, streamId))
        {
            System.out.println("subscribed");
            while (count > 0)
            {
                idle.idle(subscription.poll((buffer, offset, length, header) ->
                {
                    System.out.println(header.reservedValue() + " " + buffer.getLong(offset) + " " +
                        buffer.getLong(offset + 8) + " " + buffer.getLong(offset + 16));
                    count--;
                }, 10));
            }
        }
    }
}
